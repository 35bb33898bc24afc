// What is drawn over the scene: impulses as arrows, joints as lines, the outline of what is selected.

const ARROWS = 1024; // most that are drawn
const CONTACT_COLOR = 0xff4d2e;
const JOINT_COLOR = 0xe056fd;

const JOINT_COLORS = {
	weld: 0xd0d0d0, ball: 0xff9f43, hinge: 0xffe066, slider: 0x7bed9f, cylindrical: 0x70d6ff, rope: 0xc8a47a,
	rod: 0xb0b8c0, spring: 0x8cff6b, align: 0xff7eb6,
};

// An arrow of length 1 along y.
function arrowGeometry() {
	const soup = new Soup();
	soup.revolve([{ r: 0.035, y: 0, nr: 1, ny: 0 }, { r: 0.035, y: 0.72, nr: 1, ny: 0 },
		{ r: 0.1, y: 0.72, nr: 0.9, ny: 0.4 }, { r: 0, y: 1, nr: 0.9, ny: 0.4 }]);
	return bufferGeometry(soup.positions, soup.normals);
}

class Marks {
	constructor(recording, view, bodies) {
		this.recording = recording;
		this.view = view;
		this.bodies = bodies;
		this.group = new THREE.Group();
		view.scene.add(this.group);
		this.contacts = this.makeArrows(CONTACT_COLOR);
		this.pulls = this.makeArrows(JOINT_COLOR);
		this.makeJoints();
		this.makeOutline();
		this.findScale();
	}

	makeArrows(color) {
		const material = new THREE.MeshBasicMaterial({
			color: new THREE.Color(...linearColor(color)), depthTest: false, transparent: true, opacity: 0.85,
		});
		const mesh = new THREE.InstancedMesh(arrowGeometry(), material, ARROWS);
		mesh.count = 0;
		mesh.frustumCulled = false;
		mesh.renderOrder = 4;
		this.group.add(mesh);
		return mesh;
	}

	makeJoints() {
		const most = Math.max(1, this.recording.joints.length);
		const geometry = new THREE.BufferGeometry();
		geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * 8 * most), 3));
		geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * 8 * most), 3));
		const options = { vertexColors: vertexColors(), depthTest: false, transparent: true };
		this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ ...options, opacity: 0.9 }));
		const dots = new THREE.BufferGeometry();
		dots.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * most), 3));
		dots.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * most), 3));
		this.dots = new THREE.Points(dots, new THREE.PointsMaterial({ ...options, size: 7, sizeAttenuation: false }));
		for (const object of [this.lines, this.dots]) {
			object.frustumCulled = false;
			object.renderOrder = 5;
			this.group.add(object);
		}
	}

	makeOutline() {
		const material = new THREE.LineBasicMaterial({ color: 0xffffff, depthTest: false, transparent: true, opacity: 0.9 });
		this.outline = new THREE.LineSegments(new THREE.BufferGeometry(), material);
		this.outline.visible = false;
		this.outline.renderOrder = 6;
		this.group.add(this.outline);
		this.outlined = 0;
	}

	// Arrows are as long as the root of their impulse; one of the usual strong ones is as long as an assembly is large.
	findScale() {
		const cursor = new Cursor(this.recording);
		const sizes = [];
		const step = Math.max(1, Math.floor(this.recording.frames / 100));
		for (let frame = 2; frame <= this.recording.frames; frame += step) {
			cursor.seek(frame);
			for (const arrow of this.recording.arrowsAt(cursor))
				sizes.push(arrow.size);
		}
		sizes.sort((a, b) => a - b);
		this.strong = sizes[Math.floor(0.9 * sizes.length)] || 1;
		const radii = this.recording.tracks.map((track, i) => ({ ...track, number: i + 1 }))
			.filter(({ motion, looks = [] }) => [motion, ...looks.map((look) => look.motion)].includes("dynamic")).slice(0, 200)
			.map(({ number }) => this.bodies.geometry(number).natural.boundingSphere.radius)
			.sort((a, b) => a - b);
		this.length = 2 * (radii[Math.floor(radii.length / 2)] || 1);
	}

	update({ arrows: showArrows, joints: showJoints }, selected) {
		this.updateArrows(showArrows ? this.recording.arrowsAt(this.bodies.from) : []);
		this.lines.visible = this.dots.visible = showJoints;
		if (showJoints)
			this.updateJoints();
		this.updateOutline(selected);
	}

	updateArrows(list) {
		const { origin } = this.view;
		const up = new THREE.Vector3(0, 1, 0);
		const [place, direction, scale] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
		const turn = new THREE.Quaternion();
		const matrix = new THREE.Matrix4();
		this.contacts.count = this.pulls.count = 0;
		for (const arrow of list) {
			const mesh = arrow.joint ? this.pulls : this.contacts;
			if (mesh.count >= ARROWS)
				continue;
			const length = this.length * Math.min(3, Math.sqrt(arrow.size / this.strong));
			const width = Math.max(0.4 * this.length, length) * 0.8;
			direction.fromArray(arrow.direction);
			turn.setFromUnitVectors(up, direction);
			place.set(...arrow.place.map((value, axis) => value - origin[axis]));
			matrix.compose(place, turn, scale.set(width, length, width));
			mesh.setMatrixAt(mesh.count++, matrix);
		}
		for (const mesh of [this.contacts, this.pulls]) {
			mesh.instanceMatrix.needsUpdate = true;
			mesh.visible = mesh.count > 0;
		}
	}

	// Where a point of a track's frame (0: of the world) is drawn.
	drawn(track, point) {
		const v = new THREE.Vector3().fromArray(point);
		const mesh = track && this.bodies.meshes[track];
		if (mesh)
			return v.applyQuaternion(mesh.quaternion).add(mesh.position);
		return v.sub(new THREE.Vector3().fromArray(this.view.origin));
	}

	updateJoints() {
		const { position, color } = this.lines.geometry.attributes;
		const dots = this.dots.geometry.attributes;
		let corner = 0;
		let dot = 0;
		for (const joint of this.recording.jointsAt(this.bodies.from.frame)) {
			const tint = linearColor(JOINT_COLORS[joint.type] || 0xffffff);
			const [a, b] = [this.drawn(joint.a, joint.at_a), this.drawn(joint.b, joint.at_b)];
			const ends = [a, b];
			if (joint.a)
				ends.push(this.drawn(joint.a, this.recording.tracks[joint.a - 1].center), a);
			if (joint.b)
				ends.push(b, this.drawn(joint.b, this.recording.tracks[joint.b - 1].center));
			if (["hinge", "slider", "cylindrical"].includes(joint.type)) {
				const axis = joint.axis.map((value, i) => joint.at_a[i] + 0.6 * this.length * value);
				ends.push(a, this.drawn(joint.a, axis));
			}
			for (const end of ends) {
				position.setXYZ(corner, end.x, end.y, end.z);
				color.setXYZ(corner++, ...tint);
			}
			dots.position.setXYZ(dot, b.x, b.y, b.z);
			dots.color.setXYZ(dot++, ...tint);
		}
		this.lines.geometry.setDrawRange(0, corner);
		this.dots.geometry.setDrawRange(0, dot);
		for (const attribute of [position, color, dots.position, dots.color])
			attribute.needsUpdate = true;
	}

	updateOutline(selected) {
		const mesh = selected && this.bodies.meshes[selected];
		this.outline.visible = Boolean(mesh && mesh.visible);
		if (!this.outline.visible)
			return;
		if (this.outlined !== selected) {
			this.outlined = selected;
			this.outline.geometry.dispose();
			this.outline.geometry = new THREE.EdgesGeometry(mesh.geometry, 25);
		}
		this.outline.position.copy(mesh.position);
		this.outline.quaternion.copy(mesh.quaternion);
	}

	dispose() {
		this.view.scene.remove(this.group);
		emptyObject(this.group);
	}
}
