// The ground and the water. Blocks that never change are drawn many at a time; others have a mesh for each version.

const GROUP = 2; // blocks along a side of what is drawn at a time
const GRAIN = 0.05; // by what share triangles of one material differ in brightness
const FIRST = 300; // milliseconds that go into the ground before the first picture

function noCorners() {
	return { positions: [], normals: [], owners: [], shades: [] };
}

class GroundView {
	constructor(recording, view) {
		this.recording = recording;
		this.view = view;
		this.solid = new THREE.Group();
		this.water = new THREE.Group();
		view.scene.add(this.solid, this.water);
		this.solidMaterial = new THREE.MeshLambertMaterial({ vertexColors: vertexColors() });
		this.waterMaterial = new THREE.MeshPhongMaterial({
			color: new THREE.Color(...linearColor(0x1f86c4)), transparent: true, opacity: 0.6, side: THREE.DoubleSide,
			depthWrite: false, specular: 0x335566, shininess: 60,
		});
		this.changing = [];
		this.isComplete = false;
		this.share = 0; // of what never changes: how much is there
		this.work = this.build();
		this.makeFor(FIRST);
	}

	// Goes on making what never changes, for some milliseconds.
	makeFor(milliseconds) {
		const end = performance.now() + milliseconds;
		while (!this.isComplete && performance.now() < end)
			this.isComplete = this.work.next().done;
	}

	// Block by block, from near the origin outwards.
	*build() {
		const groups = {};
		for (const [x, y, z, versions] of this.recording.blocks || []) {
			const block = { x, y, z, versions: versions.map(([frame, solid, water]) => ({ frame, solid, water })) };
			if (versions.length > 1 || versions[0][0] > 1) {
				this.changing.push({ ...block, shown: null, meshes: {} });
				continue;
			}
			const key = [x, y, z].map((value) => Math.floor(value / GROUP)).join(" ");
			(groups[key] = groups[key] || []).push(block);
		}
		const side = this.recording.block * this.recording.cell;
		const distance = ([{ x, y, z }]) =>
			[x, y, z].reduce((sum, value, axis) => sum + (value * side - this.view.origin[axis]) ** 2, 0);
		const list = Object.values(groups).map((blocks) => ({ blocks, far: distance(blocks) }));
		list.sort((a, b) => a.far - b.far);
		for (const [i, { blocks }] of list.entries()) {
			for (const [kind, material] of [["solid", this.solidMaterial], ["water", this.waterMaterial]]) {
				const corners = noCorners();
				for (const block of blocks)
					if (block.versions[0][kind] > 0) {
						this.gather(block, block.versions[0][kind], corners);
						yield;
					}
				this.addCorners(this[kind], corners, material);
			}
			this.share = (i + 1) / list.length;
			yield;
		}
	}

	// One mesh of the triangles of [block, number of its mesh] pairs.
	add(group, pieces, material) {
		const corners = noCorners();
		for (const [block, number] of pieces)
			if (number > 0)
				this.gather(block, number, corners);
		return this.addCorners(group, corners, material);
	}

	addCorners(group, corners, material) {
		if (corners.positions.length === 0)
			return null;
		const isSolid = material === this.solidMaterial;
		const geometry = bufferGeometry(corners.positions, corners.normals, isSolid && new Float32Array(corners.positions.length));
		if (isSolid) {
			geometry.userData = corners;
			corners.positions = corners.normals = null; // the geometry has them
			paintShape(geometry, this.recording.materials);
		}
		const mesh = new THREE.Mesh(geometry, material);
		mesh.receiveShadow = true;
		mesh.castShadow = isSolid;
		mesh.renderOrder = isSolid ? 0 : 2;
		group.add(mesh);
		return mesh;
	}

	gather(block, number, { positions, normals, owners, shades }) {
		const { cell, block: size, units, meshes } = this.recording;
		const { origin } = this.view;
		const mesh = readMesh(meshes[number - 1], cell / units, cell);
		const [x0, y0, z0] = [block.x, block.y, block.z].map((value, axis) => value * size * cell - origin[axis]);
		let last = -1;
		let shade = 1;
		creased(mesh, (x, y, z, nx, ny, nz, triangle) => {
			positions.push(x + x0, y + y0, z + z0);
			normals.push(nx, ny, nz);
			if (triangle !== last) {
				last = triangle;
				// Two triangles make a square of the surface, which has one brightness.
				const noise = Math.sin(12.9898 * (triangle >> 1) + 78.233 * block.x + 37.719 * block.z + 11.7 * block.y);
				shade = 1 + GRAIN * (2 * (Math.abs(noise) * 43758.5453 % 1) - 1);
			}
			owners.push(mesh.materials[triangle]);
			shades.push(shade);
		});
	}

	// The materials have other colours.
	recolor() {
		for (const mesh of this.solid.children)
			paintShape(mesh.geometry, this.recording.materials);
	}

	// Shows the ground as it was in a frame.
	update(frame) {
		for (const block of this.changing) {
			let version = null;
			for (const one of block.versions)
				if (one.frame <= frame)
					version = one;
			if (version === block.shown)
				continue;
			block.shown = version;
			for (const meshes of Object.values(block.meshes))
				for (const mesh of meshes)
					mesh.visible = false;
			if (!version)
				continue;
			const made = block.meshes[version.frame] || (block.meshes[version.frame] = [
				this.add(this.solid, [[block, version.solid]], this.solidMaterial),
				this.add(this.water, [[block, version.water]], this.waterMaterial),
			].filter(Boolean));
			for (const mesh of made)
				mesh.visible = true;
		}
	}

	dispose() {
		for (const group of [this.solid, this.water]) {
			this.view.scene.remove(group);
			emptyObject(group);
		}
	}
}

// How materials are told that corners have colours: a number in older versions of three.js, then a flag.
function vertexColors() {
	return THREE.VertexColors !== undefined && Number(THREE.REVISION) < 114 ? THREE.VertexColors : true;
}
