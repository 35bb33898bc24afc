// A recording: what is in each frame. Frames and tracks (assemblies) count from 1, as on the Lua side (record.lua).

const STATES = ["awake", "checking", "asleep"];
const TURN_UNITS = 32767;
const SNAPSHOT_BYTES = 64e6; // that all snapshots of a recording may take, about

// Poses of one frame. Frames are written as differences, so a cursor goes forwards, and back by way of snapshots.
class Cursor {
	constructor(recording) {
		this.recording = recording;
		const count = recording.tracks.length;
		this.values = new Float64Array(7 * (count + 1)); // x y z in quanta, x y z w in units
		this.changes = new Float64Array(7 * (count + 1)); // by how much each changed last
		this.stored = new Int32Array(count + 1).fill(-1); // the frame in which it did
		this.states = new Uint8Array(count + 1);
		this.frame = 0;
		this.at = 0; // in the bytes
		this.moved = 0; // assemblies in the frame at hand
	}

	next() {
		const from = new Reader(this.recording.poses, this.at);
		const tracks = this.recording.tracks;
		const { values, changes, stored, states } = this;
		const frame = ++this.frame;
		this.moved = from.whole();
		let track = 0;
		for (let i = 0; i < this.moved; i++) {
			track += from.signed();
			const goesOn = stored[track] === frame - 1;
			const born = tracks[track - 1].first === frame;
			for (let k = 7 * track; k < 7 * track + 7; k++) {
				const change = from.signed() + (goesOn ? changes[k] : 0);
				values[k] += change;
				changes[k] = born ? 0 : change;
			}
			stored[track] = frame;
		}
		track = 0;
		for (let i = from.whole(); i > 0; i--) {
			track += from.signed();
			states[track] = from.byte();
		}
		this.at = from.at;
	}

	save() {
		return {
			values: this.values.slice(), changes: this.changes.slice(), stored: this.stored.slice(),
			states: this.states.slice(), frame: this.frame, at: this.at, moved: this.moved,
		};
	}

	load(snapshot) {
		for (const name of ["values", "changes", "stored", "states"])
			this[name].set(snapshot[name]);
		this.frame = snapshot.frame;
		this.at = snapshot.at;
		this.moved = snapshot.moved;
	}

	seek(frame) {
		const { snapshots, interval } = this.recording;
		const snapshot = snapshots[Math.floor((frame - 1) / interval)];
		if (snapshot && (frame < this.frame || snapshot.frame > this.frame))
			this.load(snapshot);
		while (this.frame < frame)
			this.next();
	}

	// Position of a track, metres, into out.
	position(track, out) {
		const quantum = this.recording.quantum;
		for (let i = 0; i < 3; i++)
			out[i] = this.values[7 * track + i] * quantum;
		return out;
	}

	rotation(track, out) {
		const at = 7 * track + 3;
		const v = this.values;
		const scale = 1 / Math.hypot(v[at], v[at + 1], v[at + 2], v[at + 3]);
		for (let i = 0; i < 4; i++)
			out[i] = v[at + i] * scale;
		return out;
	}
}

class Recording {
	// header: what replay.lua wrote; blob: the bytes that it points into
	constructor(header, blob) {
		Object.assign(this, header);
		const slice = ([start, size]) => blob.subarray(start, start + size);
		this.poses = slice(header.poses);
		this.arrowBytes = slice(header.arrows);
		this.meshes = this.readMeshPlaces(header.meshes, slice);
		for (const parts of this.shapes)
			for (const part of parts)
				part.mesh = part.mesh && readMesh(this.meshes[part.mesh - 1], this.quantum);
		this.firstColors = this.materials.map((material) => material.color);
		this.events = header.events.map(([frame, kind, a, b, terrain, speed, impulse, place, reason]) => ({
			frame, kind: this.words[kind - 1], a, b, terrain: terrain === 1, speed, impulse, place: place || null,
			reason: this.words[reason - 1],
		}));
		this.tracks.forEach((track, i) => {
			if (track.last !== undefined)
				this.events.push({ frame: track.last + 1, kind: "destroy", a: i + 1, b: 0 });
		});
		this.events.sort((a, b) => a.frame - b.frame);
		this.takeSnapshots();
		this.findArrows();
		if (header.ghosts)
			this.ghosts = new Recording(header.ghosts, blob);
	}

	// Goes through all frames once.
	takeSnapshots() {
		this.snapshots = [];
		this.movedOf = new Uint32Array(this.frames + 1);
		this.interval = 64;
		while (this.frames / this.interval * this.tracks.length * 120 > SNAPSHOT_BYTES)
			this.interval *= 2;
		const cursor = new Cursor(this);
		for (let frame = 1; frame <= this.frames; frame++) {
			cursor.next();
			this.movedOf[frame] = cursor.moved;
			if ((frame - 1) % this.interval === 0)
				this.snapshots.push(cursor.save());
		}
	}

	// The columns of each mesh.
	readMeshPlaces({ count, sizes, columns }, slice) {
		const from = new Reader(slice(sizes));
		const whole = columns.map(slice);
		const at = columns.map(() => 0);
		return Array.from({ length: count }, () => whole.map((bytes, i) => {
			const size = from.whole();
			at[i] += size;
			return bytes.subarray(at[i] - size, at[i]);
		}));
	}

	// Where each frame's arrows begin.
	findArrows() {
		const from = new Reader(this.arrowBytes);
		this.arrowStarts = [0];
		for (let frame = 1; frame <= this.frames; frame++) {
			this.arrowStarts[frame] = from.at;
			for (let i = from.whole(); i > 0; i--) {
				for (let k = 0; k < 6; k++)
					from.whole();
				from.at += 2;
			}
		}
	}

	// Contacts and joints that pushed in the cursor's frame: what they did to `track`.
	arrowsAt(cursor) {
		const from = new Reader(this.arrowBytes, this.arrowStarts[cursor.frame]);
		const list = [];
		let track = 0;
		for (let i = from.whole(); i > 0; i--) {
			track += from.signed();
			const other = from.whole();
			const place = cursor.position(track, [0, 0, 0]);
			for (let k = 0; k < 3; k++)
				place[k] += from.signed() * 64 * this.quantum;
			const size = 2 ** (from.signed() / 64);
			const direction = [0, 0, 0];
			unfold(from.byte(), from.byte(), direction, 0);
			list.push({ track, other: Math.floor(other / 2), joint: other % 2 === 1, place, size, direction });
		}
		return list;
	}

	isThere(track, frame) {
		const { first, last } = this.tracks[track - 1];
		return frame >= first && (last === undefined || frame <= last);
	}

	// Shape, motion and mass of a track as they were in a frame.
	lookAt(track, frame) {
		let look = this.tracks[track - 1];
		for (const later of look.looks || [])
			if (later.frame <= frame)
				look = later;
		return look;
	}

	// Gives the materials the colours of a frame: whether that changed any.
	paintFor(frame) {
		const colors = this.firstColors.slice();
		for (const change of this.colors)
			if (change.frame <= frame)
				colors[change.material] = change.color;
		const isOther = colors.some((color, i) => color !== this.materials[i].color);
		colors.forEach((color, i) => (this.materials[i].color = color));
		return isOther;
	}

	jointsAt(frame) {
		return this.joints.filter((joint) => frame >= joint.first && (joint.last === undefined || frame <= joint.last));
	}

	// The last frame at or before a time of the clock, and how far on the way to the next it is.
	frameAt(time) {
		let low = 1;
		let high = this.frames;
		while (low < high) {
			const middle = Math.ceil((low + high) / 2);
			if (this.clock[middle - 1] <= time + 1e-9)
				low = middle;
			else
				high = middle - 1;
		}
		const start = this.clock[low - 1];
		const length = low < this.frames ? this.clock[low] - start : 0;
		return { frame: low, alpha: length > 0 ? Math.min(1, Math.max(0, (time - start) / length)) : 0 };
	}

	get duration() {
		return this.clock[this.frames - 1];
	}

	// The groups that joints tie together in a frame: by track, the lowest track of its group; absent: alone.
	mechanismsAt(frame) {
		const parent = new Map();
		const root = (track) => {
			while (parent.get(track) !== track)
				track = parent.get(track);
			return track;
		};
		for (const { a, b } of this.jointsAt(frame)) {
			for (const track of [a, b])
				if (track && !parent.has(track))
					parent.set(track, track);
			if (a && b) {
				const [one, other] = [root(a), root(b)];
				parent.set(Math.max(one, other), Math.min(one, other));
			}
		}
		const groups = new Map();
		for (const track of parent.keys())
			groups.set(track, root(track));
		return groups;
	}

	materialName(index) {
		return this.materials[index] ? this.materials[index].name : "?";
	}

	nameOf(track) {
		const one = this.tracks[track - 1];
		return one.tag !== undefined ? one.tag : `assembly ${one.number || track}`;
	}
}
