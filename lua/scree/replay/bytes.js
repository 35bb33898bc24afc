// Bytes: from text in the page, uncompressed, and read as numbers. The Lua side is record/bytes.lua.

function fromBase64(text) {
	const letters = atob(text);
	const bytes = new Uint8Array(letters.length);
	for (let i = 0; i < letters.length; i++)
		bytes[i] = letters.charCodeAt(i);
	return bytes;
}

// The bytes of a script element that holds compressed data.
async function unpackElement(id) {
	const packed = fromBase64(document.getElementById(id).textContent);
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Numbers one after the other. Whole numbers may be larger than 32 bits, so they are added up, not shifted.
class Reader {
	constructor(data, at = 0) {
		this.data = data;
		this.at = at;
	}

	byte() {
		return this.data[this.at++];
	}

	whole() {
		const data = this.data;
		let byte = data[this.at++];
		if (byte < 128)
			return byte;
		let value = byte - 128;
		let scale = 128;
		for (;;) {
			byte = data[this.at++];
			if (byte < 128)
				return value + scale * byte;
			value += scale * (byte - 128);
			scale *= 128;
		}
	}

	signed() {
		const value = this.whole();
		return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
	}

	text() {
		const length = this.whole();
		this.at += length;
		return new TextDecoder().decode(this.data.subarray(this.at - length, this.at));
	}
}

// A unit vector from two bytes: a square that was the unfolded surface of an octahedron.
function unfold(u, v, out, at) {
	let x = u / 127 - 1;
	let y = v / 127 - 1;
	const z = 1 - Math.abs(x) - Math.abs(y);
	if (z < 0) {
		const folded = (1 - Math.abs(y)) * (x < 0 ? -1 : 1);
		y = (1 - Math.abs(x)) * (y < 0 ? -1 : 1);
		x = folded;
	}
	const scale = 1 / Math.hypot(x, y, z);
	out[at] = x * scale;
	out[at + 1] = y * scale;
	out[at + 2] = z * scale;
}
