// The camera goes round a target; while it follows an assembly, the target is that.

class OrbitCamera {
	constructor(view, onChange) {
		this.view = view;
		this.onChange = onChange;
		this.target = new THREE.Vector3();
		this.yaw = 0.7;
		this.pitch = 0.45;
		this.distance = 30;
		this.pointers = new Map();
		this.listen(view.canvas);
	}

	// Looks at a ball from where the camera is now.
	frame(center, radius) {
		this.target.copy(center);
		this.distance = Math.max(0.5, 1.1 * radius / Math.tan(this.view.camera.fov * Math.PI / 360));
		this.radius = radius;
	}

	// Goes round and up to where the ground hides the fewest of some points.
	findSight(points, ground) {
		let best = { seen: -1 };
		ground.updateMatrixWorld(true);
		for (const pitch of [0.55, 0.8])
			for (let i = 0; i < 8; i++) {
				this.pitch = pitch;
				this.yaw = 0.7 + (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2) * Math.PI / 4;
				const seen = this.countSeen(points, ground);
				if (seen > best.seen)
					best = { seen, yaw: this.yaw, pitch };
			}
		this.yaw = best.yaw;
		this.pitch = best.pitch;
	}

	countSeen(points, ground) {
		const caster = new THREE.Raycaster();
		const eye = this.direction(new THREE.Vector3()).multiplyScalar(this.distance).add(this.target);
		const way = new THREE.Vector3();
		return points.filter((point) => {
			way.subVectors(point, eye);
			caster.far = 0.98 * way.length();
			caster.set(eye, way.normalize());
			return caster.intersectObject(ground, true).length === 0;
		}).length;
	}

	// From the target to the camera, of length 1.
	direction(out) {
		const level = Math.cos(this.pitch);
		return out.set(Math.sin(this.yaw) * level, Math.sin(this.pitch), Math.cos(this.yaw) * level);
	}

	listen(canvas) {
		canvas.addEventListener("pointerdown", (event) => {
			this.isMoved = true; // by hand: it is left where it is
			canvas.setPointerCapture(event.pointerId);
			this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
			this.travelled = this.pointers.size > 1 ? 100 : 0;
		});
		canvas.addEventListener("pointermove", (event) => this.move(event));
		for (const name of ["pointerup", "pointercancel"])
			canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
		canvas.addEventListener("contextmenu", (event) => event.preventDefault());
		canvas.addEventListener("wheel", (event) => {
			event.preventDefault();
			this.isMoved = true;
			this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(0.3, Math.abs(event.deltaY) * 0.0015)));
		}, { passive: false });
	}

	move(event) {
		const before = this.pointers.get(event.pointerId);
		if (!before)
			return;
		const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
		this.travelled += Math.abs(dx) + Math.abs(dy);
		if (this.pointers.size === 2)
			this.pinch(event, dx, dy);
		else if (event.shiftKey || event.buttons & 6)
			this.shift(dx, dy);
		else
			this.turn(dx, dy);
		before.x = event.clientX;
		before.y = event.clientY;
		this.onChange();
	}

	// Two fingers: nearer and further, and along the picture.
	pinch(event, dx, dy) {
		const [a, b] = [...this.pointers.values()];
		const before = Math.hypot(a.x - b.x, a.y - b.y);
		const [moving, still] = this.pointers.get(event.pointerId) === a ? [a, b] : [b, a];
		const now = Math.hypot(moving.x + dx - still.x, moving.y + dy - still.y);
		this.zoom(before / Math.max(1, now));
		this.shift(dx / 2, dy / 2);
	}

	turn(dx, dy) {
		this.yaw -= 0.005 * dx;
		this.pitch = Math.min(1.55, Math.max(-1.4, this.pitch + 0.005 * dy));
	}

	shift(dx, dy) {
		const unit = 2 * this.distance * Math.tan(this.view.camera.fov * Math.PI / 360) / this.view.canvas.clientHeight;
		const right = new THREE.Vector3().setFromMatrixColumn(this.view.camera.matrix, 0);
		const up = new THREE.Vector3().setFromMatrixColumn(this.view.camera.matrix, 1);
		this.target.addScaledVector(right, -dx * unit).addScaledVector(up, dy * unit);
	}

	zoom(factor) {
		this.distance = Math.min(2e5, Math.max(0.05, this.distance * factor));
		this.onChange();
	}

	// Puts the view's camera where it belongs.
	apply() {
		const { camera } = this.view;
		this.direction(camera.position).multiplyScalar(this.distance).add(this.target);
		camera.lookAt(this.target);
		camera.near = Math.max(0.01, this.distance / 500);
		camera.far = this.distance * 20 + 20 * (this.radius || 100);
		camera.updateProjectionMatrix();
		camera.updateMatrixWorld();
		const reach = Math.min(0.75 * this.distance, 1.5 * (this.radius || Infinity));
		this.view.lightAbout(this.target, 2 ** (Math.ceil(2 * Math.log2(reach)) / 2)); // in steps, so that shadows keep still
	}

	save() {
		return { target: this.target.toArray(), yaw: this.yaw, pitch: this.pitch, distance: this.distance };
	}

	load(saved) {
		this.isMoved = true;
		this.target.fromArray(saved.target);
		this.yaw = saved.yaw;
		this.pitch = saved.pitch;
		this.distance = saved.distance;
	}
}
