// Triangles of shapes and of the ground, each corner with a normal and a colour of its own.

const CREASE = Math.cos(25 * Math.PI / 180); // edges sharper than this stay sharp
const ROUND = 24; // sides of what is round

// The sRGB colour 0xRRGGBB as linear red, green, blue.
function linearColor(hex) {
	return [16, 8, 0].map((shift) => {
		const v = ((hex >> shift) & 255) / 255;
		return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	});
}

// Triangles that grow: corners in a row, and for each the brightness of its place in a pattern.
class Soup {
	constructor() {
		this.positions = [];
		this.normals = [];
		this.shades = [];
	}

	corner(x, y, z, nx, ny, nz, shade) {
		this.positions.push(x, y, z);
		this.normals.push(nx, ny, nz);
		this.shades.push(shade);
	}

	// A flat polygon of corners that run counter-clockwise seen from outside.
	polygon(corners, shade = 1) {
		const [a, b, c] = corners;
		const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
		const v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
		const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
		const size = Math.hypot(...n) || 1;
		for (let i = 2; i < corners.length; i++)
			for (const p of [a, corners[i - 1], corners[i]])
				this.corner(p[0], p[1], p[2], n[0] / size, n[1] / size, n[2] / size, shade);
	}

	// What a line of points { r, y, nr, ny } makes, turned about the y axis; a pattern shows how it turns.
	revolve(line) {
		for (let i = 0; i < ROUND; i++) {
			const shade = Math.floor(4 * i / ROUND) % 2 === 0 ? 1 : 0.8;
			const [s, t] = [i, i + 1].map((k) => 2 * Math.PI * k / ROUND);
			for (let k = 0; k + 1 < line.length; k += 2) {
				const put = (p, angle) => this.corner(p.r * Math.cos(angle), p.y, -p.r * Math.sin(angle),
					p.nr * Math.cos(angle), p.ny, -p.nr * Math.sin(angle), shade);
				const [low, high] = [line[k], line[k + 1]];
				if (low.r > 0)
					[[low, s], [low, t], [high, t]].forEach(([p, angle]) => put(p, angle));
				if (high.r > 0)
					[[low, s], [high, t], [high, s]].forEach(([p, angle]) => put(p, angle));
			}
		}
	}

	// Moves corners from `first` on by a part's place.
	place(first, position, rotation) {
		const q = new THREE.Quaternion(...rotation);
		const v = new THREE.Vector3();
		for (let i = 3 * first; i < this.positions.length; i += 3) {
			v.fromArray(this.positions, i).applyQuaternion(q).toArray(this.positions, i);
			v.fromArray(this.normals, i).applyQuaternion(q).toArray(this.normals, i);
			for (let k = 0; k < 3; k++)
				this.positions[i + k] += position[k];
		}
	}
}

// A quarter or half of a circle as pairs of points for revolve: from angle a to b above the horizon.
function arc(radius, y, a, b, steps) {
	const line = [];
	const point = (angle) => ({
		r: Math.max(0, radius * Math.cos(angle)), y: y + radius * Math.sin(angle), nr: Math.cos(angle), ny: Math.sin(angle),
	});
	for (let i = 0; i < steps; i++)
		line.push(point(a + (b - a) * i / steps), point(a + (b - a) * (i + 1) / steps));
	// Rounding leaves a tiny circle at the poles.
	for (const p of line)
		if (p.r < 1e-9 * radius)
			p.r = 0;
	return line;
}

const QUARTER = Math.PI / 2;

const makers = {
	ball(soup, part) {
		soup.revolve(arc(part.radius, 0, -QUARTER, QUARTER, 14));
	},
	capsule(soup, part) {
		const { radius, length } = part;
		soup.revolve([
			...arc(radius, -length / 2, -QUARTER, 0, 6),
			{ r: radius, y: -length / 2, nr: 1, ny: 0 }, { r: radius, y: length / 2, nr: 1, ny: 0 },
			...arc(radius, length / 2, 0, QUARTER, 6),
		]);
	},
	cylinder(soup, part) {
		const { radius, length } = part;
		const [low, high] = [-length / 2, length / 2];
		soup.revolve([
			{ r: 0, y: low, nr: 0, ny: -1 }, { r: radius, y: low, nr: 0, ny: -1 },
			{ r: radius, y: low, nr: 1, ny: 0 }, { r: radius, y: high, nr: 1, ny: 0 },
			{ r: radius, y: high, nr: 0, ny: 1 }, { r: 0, y: high, nr: 0, ny: 1 },
		]);
	},
	cone(soup, part) {
		const { radius, length } = part;
		const slope = Math.hypot(radius, length);
		const [nr, ny] = [length / slope, radius / slope];
		soup.revolve([
			{ r: 0, y: -length / 2, nr: 0, ny: -1 }, { r: radius, y: -length / 2, nr: 0, ny: -1 },
			{ r: radius, y: -length / 2, nr, ny }, { r: 0, y: length / 2, nr, ny },
		]);
	},
	box(soup, part) {
		const [x, y, z] = part.size.map((length) => length / 2);
		const p = (i) => [i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z];
		for (const face of [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]])
			soup.polygon(face.map(p));
	},
	wedge(soup, part) {
		const [x, y, z] = part.size.map((length) => length / 2);
		const p = (i) => [i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z];
		for (const face of [[0, 1, 5, 4], [4, 5, 7, 6], [0, 6, 7, 1], [1, 7, 5], [0, 4, 6]])
			soup.polygon(face.map(p));
	},
	hull(soup, part) {
		creased(part.mesh, (x, y, z, nx, ny, nz) => soup.corner(x, y, z, nx, ny, nz, 1));
	},
};
makers.mesh = makers.hull;

// Calls put(x, y, z, nx, ny, nz, triangle) for every corner: with the normal of its vertex where the surface is smooth,
// with that of its triangle at edges.
function creased(mesh, put) {
	const { positions, indices } = mesh;
	const faces = new Float32Array(indices.length);
	const own = mesh.normals || new Float32Array(positions.length);
	for (let i = 0; i < indices.length; i += 3) {
		const a = 3 * indices[i];
		const b = 3 * indices[i + 1];
		const c = 3 * indices[i + 2];
		const ux = positions[b] - positions[a];
		const uy = positions[b + 1] - positions[a + 1];
		const uz = positions[b + 2] - positions[a + 2];
		const vx = positions[c] - positions[a];
		const vy = positions[c + 1] - positions[a + 1];
		const vz = positions[c + 2] - positions[a + 2];
		const nx = uy * vz - uz * vy;
		const ny = uz * vx - ux * vz;
		const nz = ux * vy - uy * vx;
		const size = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
		faces[i] = nx / size;
		faces[i + 1] = ny / size;
		faces[i + 2] = nz / size;
		for (let k = mesh.normals ? 3 : 0; k < 3; k++) {
			const corner = 3 * indices[i + k];
			own[corner] += nx;
			own[corner + 1] += ny;
			own[corner + 2] += nz;
		}
	}
	for (let i = 0; i < indices.length; i++) {
		const at = 3 * indices[i];
		const face = i - i % 3;
		const size = Math.sqrt(own[at] * own[at] + own[at + 1] * own[at + 1] + own[at + 2] * own[at + 2]) || 1;
		const along = (own[at] * faces[face] + own[at + 1] * faces[face + 1] + own[at + 2] * faces[face + 2]) / size;
		const isSmooth = along > CREASE;
		const n = isSmooth ? own : faces;
		const k = isSmooth ? at : face;
		const scale = isSmooth ? 1 / size : 1;
		put(positions[at], positions[at + 1], positions[at + 2], n[k] * scale, n[k + 1] * scale, n[k + 2] * scale, face / 3);
	}
}

function bufferGeometry(positions, normals, colors) {
	const geometry = new THREE.BufferGeometry();
	geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
	geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
	if (colors)
		geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
	return geometry;
}

// Gives corners the colours of their materials: userData has the material and the brightness of each.
function paintShape(geometry, materials) {
	const { owners, shades } = geometry.userData;
	const tints = materials.map((material) => linearColor(material.color));
	const unknown = [0.22, 0.22, 0.22];
	const color = geometry.attributes.color;
	for (let i = 0; i < owners.length; i++) {
		const tint = tints[owners[i]] || unknown;
		color.array[3 * i] = tint[0] * shades[i];
		color.array[3 * i + 1] = tint[1] * shades[i];
		color.array[3 * i + 2] = tint[2] * shades[i];
	}
	color.needsUpdate = true;
}

// An assembly's parts, twice: in the colours of their materials, and white.
function shapeGeometries(parts, materials) {
	const soup = new Soup();
	const owners = []; // the material of each corner
	for (const part of parts) {
		const first = soup.shades.length;
		(makers[part.shape] || makers.box)(soup, part);
		soup.place(first, part.position, part.rotation);
		while (owners.length < soup.shades.length)
			owners.push(part.material);
	}
	const white = soup.shades.flatMap((shade) => [shade, shade, shade]);
	const natural = bufferGeometry(soup.positions, soup.normals, white);
	natural.userData = { owners, shades: soup.shades };
	paintShape(natural, materials);
	const plain = bufferGeometry(soup.positions, soup.normals, white);
	natural.computeBoundingSphere();
	plain.boundingSphere = natural.boundingSphere;
	return { natural, plain };
}
