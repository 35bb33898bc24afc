// The surface of a block of ground from its cells: what record/surface.lua does, where it is explained.

const BLOCK_CELLS = 16;
const HALO = 2;
const SIDE = BLOCK_CELLS + 2 * HALO;
const CELL_COUNT = SIDE ** 3;
const SURFACE_UNITS = 4096; // in a cell
const CUBES = SIDE - 1;
const STEP = [1, SIDE * SIDE, SIDE]; // to the next cell or cube along x, y, z
const CORNER = Array.from({ length: 8 }, (_, i) => (i & 1) * STEP[0] + (i >> 1 & 1) * STEP[1] + (i >> 2) * STEP[2]);
const EDGES = Array.from({ length: 12 }, (_, edge) => {
	const [axis, side] = [edge >> 2, edge & 3];
	const low = (side & 1) << (axis + 1) % 3 | side >> 1 << (axis + 2) % 3;
	return { axis, side, low, high: low | 1 << axis };
});
const FACES = Array.from({ length: 6 }, (_, face) => {
	const axis = face >> 1;
	const corners = [[0, 0], [1, 0], [1, 1], [0, 1]]
		.map(([u, v]) => (face & 1) << axis | u << (axis + 1) % 3 | v << (axis + 2) % 3);
	const edges = corners.map((corner, k) => {
		const ends = [corner, corners[(k + 1) % 4]];
		return EDGES.findIndex(({ low, high }) => low === Math.min(...ends) && high === Math.max(...ends));
	});
	return { corners, edges };
});

const crosses = (mask, { low, high }) => (mask >> low & 1) !== (mask >> high & 1);

// By edge its loop (-1: no crossing), how many there are, and the face all of whose crossings are of one loop (-1: none).
function findLoops(mask, inverted) {
	const parent = EDGES.map((_, edge) => edge);
	const root = (edge) => (parent[edge] === edge ? edge : root(parent[edge]));
	const ambiguous = FACES.map(({ corners, edges }, face) => {
		const found = edges.filter((edge) => crosses(mask, EDGES[edge]));
		if (found.length === 2)
			parent[root(found[0])] = root(found[1]);
		for (let k = 0; k < 4 && found.length === 4; k++)
			if ((mask >> corners[k] & 1) !== Number(face === inverted))
				parent[root(edges[(k + 3) % 4])] = root(edges[k]);
		return found.length === 4;
	});
	const known = new Map();
	const loop = EDGES.map((edge, i) => {
		if (!crosses(mask, edge))
			return -1;
		if (!known.has(root(i)))
			known.set(root(i), known.size);
		return known.get(root(i));
	});
	let flip = -1;
	FACES.forEach(({ edges }, face) => {
		if (ambiguous[face] && loop[edges[0]] === loop[edges[1]] && loop[edges[0]] === loop[edges[2]])
			flip = face;
	});
	const edgesOf = Array.from({ length: known.size }, (_, number) => EDGES.filter((_edge, i) => loop[i] === number));
	return { loop, edgesOf, flip };
}

const knownLoops = [];

function loopsOf(mask, inverted = -1) {
	const key = 16 * mask + inverted + 1;
	return knownLoops[key] || (knownLoops[key] = findLoops(mask, inverted));
}

const nearest = (numerator, denominator) => Math.floor((2 * numerator + denominator) / (2 * denominator));

const masks = new Uint8Array(CELL_COUNT); // of the cubes, by their first cell
const firstVertex = new Int32Array(CELL_COUNT);
const loopsAt = new Array(CELL_COUNT);

function findMasks(value) {
	masks.fill(0);
	for (let y = 0; y < CUBES; y++)
		for (let z = 0; z < CUBES; z++)
			for (let x = 0, i = SIDE * (z + SIDE * y); x < CUBES; x++, i++) {
				let mask = 0;
				for (let k = 0; k < 8; k++)
					mask |= value[i + CORNER[k]] >> 7 << k;
				masks[i] = mask;
			}
}

// The cells inside of cubes that are not all inside.
function markOwners(value) {
	findMasks(value);
	const owners = new Uint8Array(CELL_COUNT);
	for (let i = 0; i < CELL_COUNT; i++)
		if (masks[i] !== 0 && masks[i] !== 255)
			for (let k = 0; k < 8; k++)
				if (masks[i] >> k & 1)
					owners[i + CORNER[k]] = 1;
	return owners;
}

class SurfaceMaker {
	constructor({ value, material, blockiness }) {
		Object.assign(this, { value, material, blockiness });
		this.at = []; // vertices, units from the corner of the block
		findMasks(value);
		this.findVertices();
	}

	// Two cubes at an ambiguous face that each would make one loop of it cut it the other way.
	loops(i, place) {
		const loops = loopsOf(masks[i]);
		if (loops.flip < 0)
			return loops;
		const axis = loops.flip >> 1;
		const way = 2 * (loops.flip & 1) - 1;
		const along = place[axis] + way;
		const isOwn = along < 0 || along >= CUBES || loopsOf(masks[i + way * STEP[axis]]).flip !== (loops.flip ^ 1);
		return isOwn ? loops : loopsOf(masks[i], loops.flip);
	}

	blockinessAt(i) {
		let most = 0;
		for (let k = 0; k < 8; k++)
			if (masks[i] >> k & 1)
				most = Math.max(most, this.blockiness[this.material[i + CORNER[k]]]);
		return most;
	}

	findVertices() {
		for (let y = 0; y < CUBES; y++)
			for (let z = 0; z < CUBES; z++)
				for (let x = 0, i = SIDE * (z + SIDE * y); x < CUBES; x++, i++)
					if (masks[i] !== 0 && masks[i] !== 255) {
						loopsAt[i] = this.loops(i, [x, y, z]);
						firstVertex[i] = this.at.length / 3;
						this.addVertices(i, [x, y, z]);
					}
	}

	addVertices(i, place) {
		const { value } = this;
		const blockiness = this.blockinessAt(i);
		for (const edges of loopsAt[i].edgesOf) {
			const sum = [0, 0, 0];
			for (const { axis, side, low, high } of edges) {
				const [a, b] = [value[i + CORNER[low]], value[i + CORNER[high]]];
				sum[axis] += a > b ? nearest(SURFACE_UNITS * (2 * a - 255), 2 * (a - b))
					: SURFACE_UNITS - nearest(SURFACE_UNITS * (2 * b - 255), 2 * (b - a));
				sum[(axis + 1) % 3] += SURFACE_UNITS * (side & 1);
				sum[(axis + 2) % 3] += SURFACE_UNITS * (side >> 1);
			}
			for (let axis = 0; axis < 3; axis++) {
				const mean = nearest(sum[axis], edges.length);
				const pull = Math.floor(((SURFACE_UNITS / 2 - mean) * blockiness + 128) / 256);
				this.at.push(SURFACE_UNITS * (place[axis] - HALO + 0.5) + mean + pull);
			}
		}
	}

	apart(a, b) {
		const { at } = this;
		return (at[3 * a] - at[3 * b]) ** 2 + (at[3 * a + 1] - at[3 * b + 1]) ** 2 + (at[3 * a + 2] - at[3 * b + 2]) ** 2;
	}

	// The part along an axis of the normal of a triangle.
	along(axis, a, b, c) {
		const { at } = this;
		const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
		return (at[3 * b + u] - at[3 * a + u]) * (at[3 * c + v] - at[3 * a + v])
			- (at[3 * b + v] - at[3 * a + v]) * (at[3 * c + u] - at[3 * a + u]);
	}

	// The four vertices around an edge, counter-clockwise from outside; between the first and the third it is cut.
	square(i, axis, isInside) {
		const [u, v] = [STEP[(axis + 1) % 3], STEP[(axis + 2) % 3]];
		const vertex = (du, dv) => {
			const cube = i - du * u - dv * v;
			return firstVertex[cube] + loopsAt[cube].loop[4 * axis + du + 2 * dv];
		};
		const around = [vertex(1, 1), vertex(0, 1), vertex(0, 0), vertex(1, 0)];
		let [a, b, c, d] = around;
		if (!isInside)
			[b, d] = [d, b];
		if (this.apart(b, d) < this.apart(a, c))
			[a, b, c, d] = [b, c, d, a];
		const sign = isInside ? 1 : -1;
		if (sign * this.along(axis, a, b, c) <= 0 || sign * this.along(axis, a, c, d) <= 0)
			[a, b, c, d] = [b, c, d, a];
		return a === around[0] || a === around[1] ? [a, b, c, d] : [c, d, a, b]; // as the terrain does
	}

	addNormal(sums, a, b, c) {
		const { at } = this;
		const [ux, uy, uz] = [at[3 * b] - at[3 * a], at[3 * b + 1] - at[3 * a + 1], at[3 * b + 2] - at[3 * a + 2]];
		const [vx, vy, vz] = [at[3 * c] - at[3 * a], at[3 * c + 1] - at[3 * a + 1], at[3 * c + 2] - at[3 * a + 2]];
		const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
		for (const corner of [3 * a, 3 * b, 3 * c]) {
			sums[corner] += x;
			sums[corner + 1] += y;
			sums[corner + 2] += z;
		}
	}

	// The triangles that the cells of the block own; normals are also of those beside it.
	mesh() {
		const { value, material } = this;
		const sums = new Float64Array(this.at.length);
		const indices = [];
		const materials = [];
		const isOwn = (...place) => place.every((k) => k >= HALO && k < HALO + BLOCK_CELLS);
		for (let y = HALO - 1; y <= HALO + BLOCK_CELLS; y++)
			for (let z = HALO - 1; z <= HALO + BLOCK_CELLS; z++)
				for (let x = HALO - 1, i = x + SIDE * (z + SIDE * y); x <= HALO + BLOCK_CELLS; x++, i++) {
					const isInside = value[i] >= 128;
					for (let axis = 0; axis < 3; axis++) {
						if (isInside === value[i + STEP[axis]] >= 128)
							continue;
						const [a, b, c, d] = this.square(i, axis, isInside);
						this.addNormal(sums, a, b, c);
						this.addNormal(sums, a, c, d);
						if (isOwn(x, y, z)) {
							indices.push(a, b, c, a, c, d);
							const owner = material[isInside ? i : i + STEP[axis]];
							materials.push(owner, owner);
						}
					}
				}
		for (let i = 0; i < sums.length; i += 3) {
			const length = Math.hypot(sums[i], sums[i + 1], sums[i + 2]);
			sums.set(length > 0 ? [sums[i] / length, sums[i + 1] / length, sums[i + 2] / length] : [0, 1, 0], i);
		}
		return { at: this.at, normals: Float32Array.from(sums), indices, materials };
	}
}
