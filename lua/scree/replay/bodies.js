// The assemblies: a mesh each, at the pose between two frames, in the colours that were chosen.

const STATE_COLORS = [0xf2913d, 0xf6df62, 0x6f8fb5]; // awake, checking, asleep
const STILL_COLOR = 0x9a9a94; // what never moves by itself
const ALONE_COLOR = 0xb9bcc0; // of no mechanism
const GHOST_COLOR = 0xff3dd0;

// Hues that stand apart, however many are asked for.
function hue(number) {
	return new THREE.Color().setHSL((number * 0.61803398875) % 1, 0.62, 0.42 + 0.12 * (number % 3));
}

class Bodies {
	constructor(recording, view, isGhost = false) {
		this.recording = recording;
		this.view = view;
		this.isGhost = isGhost;
		this.group = new THREE.Group();
		view.scene.add(this.group);
		this.geometries = [];
		this.meshes = []; // by track
		this.from = new Cursor(recording);
		this.to = new Cursor(recording);
		this.mode = "material";
		this.palette = new Map();
		this.natural = this.makeMaterial(0xffffff);
		this.mechanismFrame = 0;
	}

	makeMaterial(color) {
		const options = { color, vertexColors: vertexColors() };
		if (this.isGhost)
			Object.assign(options, { transparent: true, opacity: 0.45, depthWrite: false });
		return new THREE.MeshLambertMaterial(options);
	}

	// A shared material of one colour.
	material(key, color) {
		if (!this.palette.has(key)) {
			const linear = color instanceof THREE.Color ? color.clone().convertSRGBToLinear()
				: new THREE.Color(...linearColor(color));
			this.palette.set(key, this.makeMaterial(linear));
		}
		return this.palette.get(key);
	}

	geometry(track) {
		const { shape } = this.recording.lookAt(track, this.from.frame);
		if (!this.geometries[shape])
			this.geometries[shape] = shapeGeometries(this.recording.shapes[shape - 1], this.recording.materials);
		return this.geometries[shape];
	}

	// How far it goes from its position.
	reach(track) {
		const { center, radius } = this.geometry(track).natural.boundingSphere;
		return center.length() + radius;
	}

	mesh(track) {
		let mesh = this.meshes[track];
		if (!mesh) {
			mesh = new THREE.Mesh(this.geometry(track).natural, this.natural);
			mesh.castShadow = !this.isGhost;
			mesh.receiveShadow = !this.isGhost;
			mesh.isShared = true;
			mesh.renderOrder = this.isGhost ? 3 : 0;
			mesh.userData.track = track;
			this.meshes[track] = mesh;
			this.group.add(mesh);
		}
		return mesh;
	}

	// The world as it was at a frame and a share of the way to the next.
	update(frame, alpha) {
		this.from.seek(frame);
		const next = alpha > 0 && frame < this.recording.frames ? frame + 1 : frame;
		if (next !== frame)
			this.to.seek(next);
		if (this.mode === "mechanism")
			this.mechanisms = this.recording.mechanismsAt(frame);
		for (let track = 1; track <= this.recording.tracks.length; track++) {
			if (!this.recording.isThere(track, frame)) {
				if (this.meshes[track])
					this.meshes[track].visible = false;
				continue;
			}
			const mesh = this.mesh(track);
			mesh.visible = true;
			this.put(mesh, track, next !== frame && this.recording.isThere(track, next), alpha);
			this.paint(mesh, track);
		}
	}

	// What is expected where it is, is not shown twice.
	hideLike(bodies) {
		for (const mesh of this.group.children) {
			const other = bodies.meshes[this.recording.tracks[mesh.userData.track - 1].twin];
			if (!mesh.visible || !other || !other.visible)
				continue;
			const { radius } = mesh.geometry.boundingSphere;
			const apart = mesh.position.distanceTo(other.position);
			const turned = 1 - Math.abs(mesh.quaternion.dot(other.quaternion));
			mesh.visible = apart > 0.02 * radius || turned > 1e-4;
		}
	}

	put(mesh, track, isBetween, alpha) {
		const { origin } = this.view;
		const a = this.from.position(track, []);
		const q = this.from.rotation(track, []);
		if (isBetween) {
			const b = this.to.position(track, []);
			const r = this.to.rotation(track, []);
			for (let i = 0; i < 3; i++)
				a[i] += alpha * (b[i] - a[i]);
			for (let i = 0; i < 4; i++)
				q[i] += alpha * (r[i] - q[i]);
		}
		mesh.position.set(a[0] - origin[0], a[1] - origin[1], a[2] - origin[2]);
		mesh.quaternion.set(q[0], q[1], q[2], q[3]).normalize();
	}

	paint(mesh, track) {
		const { natural, plain } = this.geometry(track);
		if (this.isGhost) {
			mesh.geometry = plain;
			mesh.material = this.material("ghost", GHOST_COLOR);
			return;
		}
		mesh.geometry = this.mode === "material" ? natural : plain;
		mesh.material = this.mode === "material" ? this.natural : this.material(...this.colorOf(track));
	}

	// A key and a colour.
	colorOf(track) {
		const { motion } = this.recording.lookAt(track, this.from.frame);
		if (this.mode === "assembly")
			return [`own ${track}`, hue(track)];
		if (this.mode === "mechanism") {
			const group = this.mechanisms.get(track);
			return group ? [`group ${group}`, hue(group)] : ["alone", ALONE_COLOR];
		}
		if (motion !== "dynamic")
			return ["still", STILL_COLOR];
		const state = this.from.states[track];
		return [STATES[state], STATE_COLORS[state]];
	}

	// The materials have other colours.
	recolor() {
		for (const pair of this.geometries)
			if (pair)
				paintShape(pair.natural, this.recording.materials);
	}

	// The track at a place of the picture (-1 to 1, up), or 0; hits beyond a distance do not count.
	pick(x, y, within = Infinity) {
		const caster = new THREE.Raycaster();
		caster.setFromCamera(new THREE.Vector2(x, y), this.view.camera);
		const hits = caster.intersectObjects(this.group.children.filter((mesh) => mesh.visible));
		return hits.length > 0 && hits[0].distance <= within ? hits[0].object.userData.track : 0;
	}

	dispose() {
		this.view.scene.remove(this.group);
		for (const pair of this.geometries)
			if (pair) {
				pair.natural.dispose();
				pair.plain.dispose();
			}
	}
}
