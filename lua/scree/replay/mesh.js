// Triangles from columns of bytes, as record/mesh_bytes.lua writes and explains them.

// Cells in the order in which they are written.
const CELL_ORDER = (() => {
	const order = new Int32Array(CELL_COUNT);
	let n = 0;
	for (let z = 0; z < SIDE; z++)
		for (let x = 0; x < SIDE; x++)
			for (let y = 0; y < SIDE; y++)
				order[n++] = x + SIDE * (z + SIDE * y);
	return order;
})();

const OWNED = new Int32Array(CELL_COUNT);

class MeshReader {
	constructor(columns) {
		const [head, x, y, z, indices, normals, materials, runs, values] = columns.map((data) => new Reader(data));
		Object.assign(this, { head, axes: [x, y, z], indices, normals, materials, runs, values });
		this.isGround = head.byte() === 1;
		this.owned = OWNED;
	}

	readMaterials(count, put) {
		for (let i = 0; i < count;) {
			const run = this.materials.whole();
			const material = this.materials.byte();
			for (const end = i + run; i < end; i++)
				put(material, i);
		}
	}

	readOthers() {
		const count = this.head.whole();
		const hasNormals = this.head.byte() === 1;
		const triangles = this.head.whole();
		const at = new Float64Array(3 * count);
		for (let axis = 0; axis < 3; axis++) {
			let value = 0;
			for (let i = axis; i < 3 * count; i += 3) {
				value += this.axes[axis].signed();
				at[i] = value;
			}
		}
		const normals = hasNormals ? new Float32Array(3 * count) : null;
		for (let i = 0; hasNormals && i < count; i++)
			unfold(this.normals.byte(), this.normals.byte(), normals, 3 * i);
		let last = 0;
		const indices = Uint32Array.from({ length: 3 * triangles }, () => (last += this.indices.signed()));
		const materials = new Uint8Array(triangles);
		this.readMaterials(triangles, (material, i) => (materials[i] = material));
		return { at, normals, indices, materials };
	}

	readGround() {
		const value = new Uint8Array(CELL_COUNT);
		const material = new Uint8Array(CELL_COUNT);
		const blockiness = new Uint16Array(256);
		for (let i = this.head.whole(); i > 0; i--) {
			const index = this.head.byte();
			blockiness[index] = this.head.whole();
		}
		for (let n = 0; n < CELL_COUNT;) {
			const run = this.runs.whole();
			const kind = run % 3;
			for (const end = n + Math.floor(run / 3); n < end; n++)
				value[CELL_ORDER[n]] = kind === 2 ? this.values.byte() : 255 * kind;
		}
		const owners = markOwners(value);
		let count = 0;
		for (let i = 0; i < CELL_COUNT; i++)
			if (owners[CELL_ORDER[i]])
				this.owned[count++] = CELL_ORDER[i];
		this.readMaterials(count, (index, i) => (material[this.owned[i]] = index));
		return new SurfaceMaker({ value, material, blockiness }).mesh();
	}
}

// Triangles in metres about the origin that they were written for; unit: of those that are no ground's.
function readMesh(columns, unit, cell) {
	const reader = new MeshReader(columns);
	const { at, normals, indices, materials } = reader.isGround ? reader.readGround() : reader.readOthers();
	const scale = reader.isGround ? cell / SURFACE_UNITS : unit;
	const positions = new Float32Array(at.length);
	for (let i = 0; i < at.length; i++)
		positions[i] = at[i] * scale;
	return { positions, normals, indices, materials };
}
