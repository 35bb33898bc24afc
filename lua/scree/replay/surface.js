// The surface of a block of ground from its cells: what record/surface.lua does, where it is explained.

const BLOCK_CELLS = 16;
const HALO = 2;
const SIDE = BLOCK_CELLS + 2 * HALO;
const CELL_COUNT = SIDE ** 3;
const SURFACE_UNITS = 4096; // in a cell
const CUBES = SIDE - 1;
const STEP = [1, SIDE * SIDE, SIDE]; // to the next cell or cube along x, y, z
const NEXT = [1, 2, 0, 1]; // the axes after one
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

// Both positive; to the nearest whole number, halves up.
function nearest(numerator, denominator) {
	return (2 * numerator + denominator) / (2 * denominator) | 0;
}

const crosses = (mask, { low, high }) => (mask >> low & 1) !== (mask >> high & 1);

// The edges of a loop as lists of numbers: their axes, their ends as ways from the cube's first cell; and what the sides
// at which they run add to the sum of their crossings.
function ringOf(edges) {
	const base = [0, 0, 0];
	for (const { axis, side } of edges) {
		base[NEXT[axis]] += SURFACE_UNITS * (side & 1);
		base[NEXT[axis + 1]] += SURFACE_UNITS * (side >> 1);
	}
	return {
		count: edges.length, base, axes: Int32Array.from(edges, ({ axis }) => axis),
		lows: Int32Array.from(edges, ({ low }) => CORNER[low]), highs: Int32Array.from(edges, ({ high }) => CORNER[high]),
	};
}

// Where the surface crosses between two values, from the first, by 256 * first + second.
const CROSSINGS = Uint16Array.from({ length: 65536 }, (_, pair) => {
	const [a, b] = [pair >> 8, pair & 255];
	if (a >= 128 === b >= 128)
		return 0;
	return a > b ? nearest(SURFACE_UNITS * (2 * a - 255), 2 * (a - b))
		: SURFACE_UNITS - nearest(SURFACE_UNITS * (2 * b - 255), 2 * (b - a));
});

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
	const rings = Array.from({ length: known.size }, (_, number) => ringOf(EDGES.filter((_edge, i) => loop[i] === number)));
	return { loop, rings, flip };
}

const knownLoops = [];

function loopsOf(mask, inverted = -1) {
	const key = 16 * mask + inverted + 1;
	return knownLoops[key] || (knownLoops[key] = findLoops(mask, inverted));
}

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

// After markOwners of the same cells.
class SurfaceMaker {
	constructor({ value, material, blockiness }) {
		this.value = value;
		this.material = material;
		this.blockiness = blockiness;
		this.isBlocky = blockiness.some((one) => one > 0);
		this.at = []; // vertices, units from the corner of the block
		this.corners = new Int32Array(4); // of the square at hand
		this.sum = new Int32Array(3);
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
		if (!this.isBlocky)
			return most;
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
		const { value, at } = this;
		const blockiness = this.blockinessAt(i);
		for (const { count, base, axes, lows, highs } of loopsAt[i].rings) {
			const sum = this.sum;
			sum[0] = base[0];
			sum[1] = base[1];
			sum[2] = base[2];
			for (let k = 0; k < count; k++)
				sum[axes[k]] += CROSSINGS[value[i + lows[k]] << 8 | value[i + highs[k]]];
			for (let axis = 0; axis < 3; axis++) {
				const mean = nearest(sum[axis], count);
				const pull = (SURFACE_UNITS / 2 - mean) * blockiness + 128 >> 8;
				at.push(SURFACE_UNITS * (place[axis] - HALO + 0.5) + mean + pull);
			}
		}
	}

	apart(a, b) {
		const { at } = this;
		const x = at[3 * a] - at[3 * b];
		const y = at[3 * a + 1] - at[3 * b + 1];
		const z = at[3 * a + 2] - at[3 * b + 2];
		return x * x + y * y + z * z;
	}

	// The part along an axis of the normal of a triangle.
	along(axis, a, b, c) {
		const { at } = this;
		const u = NEXT[axis];
		const v = NEXT[axis + 1];
		return (at[3 * b + u] - at[3 * a + u]) * (at[3 * c + v] - at[3 * a + v])
			- (at[3 * b + v] - at[3 * a + v]) * (at[3 * c + u] - at[3 * a + u]);
	}

	// Sets the corners to the four vertices around an edge, counter-clockwise from outside; between the first and the
	// third the square is cut.
	findSquare(i, axis, isInside) {
		const u = STEP[NEXT[axis]];
		const v = STEP[NEXT[axis + 1]];
		const first = firstVertex[i - u - v] + loopsAt[i - u - v].loop[4 * axis + 3];
		const low = firstVertex[i - v] + loopsAt[i - v].loop[4 * axis + 2];
		const own = firstVertex[i] + loopsAt[i].loop[4 * axis];
		const high = firstVertex[i - u] + loopsAt[i - u].loop[4 * axis + 1];
		const second = isInside ? low : high;
		const last = isInside ? high : low;
		const sign = isInside ? 1 : -1;
		let isTurned = this.apart(low, high) < this.apart(first, own);
		const faces = (a, b, c, d) => sign * this.along(axis, a, b, c) > 0 && sign * this.along(axis, a, c, d) > 0;
		if (isTurned ? !faces(second, own, last, first) : !faces(first, second, own, last))
			isTurned = !isTurned;
		// Of the two ends of the cut the terrain begins with the one at the lower side.
		const { corners } = this;
		const at = !isTurned ? 0 : isInside ? 1 : 3;
		corners[0 - at & 3] = first;
		corners[1 - at & 3] = second;
		corners[2 - at & 3] = own;
		corners[3 - at & 3] = last;
	}

	addNormal(sums, a, b, c) {
		const { at } = this;
		const ux = at[3 * b] - at[3 * a];
		const uy = at[3 * b + 1] - at[3 * a + 1];
		const uz = at[3 * b + 2] - at[3 * a + 2];
		const vx = at[3 * c] - at[3 * a];
		const vy = at[3 * c + 1] - at[3 * a + 1];
		const vz = at[3 * c + 2] - at[3 * a + 2];
		const x = uy * vz - uz * vy;
		const y = uz * vx - ux * vz;
		const z = ux * vy - uy * vx;
		for (let k = 0; k < 3; k++) {
			const corner = 3 * (k === 0 ? a : k === 1 ? b : c);
			sums[corner] += x;
			sums[corner + 1] += y;
			sums[corner + 2] += z;
		}
	}

	// The triangles that the cells of the block own; normals are also of those beside it.
	mesh() {
		const { value, material, corners } = this;
		const sums = new Float64Array(this.at.length);
		const indices = [];
		const materials = [];
		const last = HALO + BLOCK_CELLS;
		for (let y = HALO - 1; y <= last; y++)
			for (let z = HALO - 1; z <= last; z++)
				for (let x = HALO - 1, i = x + SIDE * (z + SIDE * y); x <= last; x++, i++) {
					if (masks[i] === 0 || masks[i] === 255)
						continue; // all eight are alike, and so are the three that count here
					const isInside = value[i] >= 128;
					const isOwn = x >= HALO && x < last && y >= HALO && y < last && z >= HALO && z < last;
					for (let axis = 0; axis < 3; axis++) {
						if (isInside === value[i + STEP[axis]] >= 128)
							continue;
						this.findSquare(i, axis, isInside);
						const [a, b, c, d] = corners;
						this.addNormal(sums, a, b, c);
						this.addNormal(sums, a, c, d);
						if (isOwn) {
							indices.push(a, b, c, a, c, d);
							const owner = material[isInside ? i : i + STEP[axis]];
							materials.push(owner, owner);
						}
					}
				}
		for (let i = 0; i < sums.length; i += 3) {
			const length = Math.sqrt(sums[i] * sums[i] + sums[i + 1] * sums[i + 1] + sums[i + 2] * sums[i + 2]);
			if (length === 0)
				sums[i + 1] = 1;
			for (let k = i; length > 0 && k < i + 3; k++)
				sums[k] /= length;
		}
		return { at: this.at, normals: new Float32Array(sums), indices, materials };
	}
}
