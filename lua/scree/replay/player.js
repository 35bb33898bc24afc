// One world of the recording on the page: its picture, its time, and what the controls do to it.

const WIDER = 2.5; // times what most stay in: what else is there at first is seen, too, if it takes no more
const SLICE = 40; // milliseconds of work on the ground at a time

class Player {
	constructor(recording, view, camera) {
		this.recording = recording;
		this.view = view;
		this.camera = camera;
		this.time = 0;
		this.playing = false;
		this.speed = 1;
		this.selected = 0;
		this.following = false;
		this.show = { arrows: false, joints: true, ground: true, water: true, ghosts: true };
		this.ground = new GroundView(recording, view);
		this.bodies = new Bodies(recording, view);
		this.ghosts = recording.ghosts && new Bodies(recording.ghosts, view, true);
		this.bodies.update(1, 0);
		this.marks = new Marks(recording, view, this.bodies);
		this.panel = new Panel(recording, { select: (track) => this.select(track), seek: (frame) => this.seekFrame(frame) });
		this.timeline = new Timeline(recording, {
			canvas: byId("timeline"), hint: byId("hint"), ticks: byId("ticks"), onSeek: (time) => this.seek(time),
		});
		byId("ghosts-label").hidden = !this.ghosts;
		this.drawnShare = 0;
		this.frameAll();
		this.stale = true;
		this.goOnWithGround();
	}

	get frame() {
		return this.recording.frameAt(this.time).frame;
	}

	// ---- time ----

	seek(time) {
		this.time = Math.min(this.recording.duration, Math.max(0, time));
		this.stale = true;
	}

	seekFrame(frame) {
		this.setPlaying(false);
		this.seek(this.recording.clock[Math.min(this.recording.frames, Math.max(1, frame)) - 1]);
	}

	step(count) {
		this.seekFrame(this.frame + count);
	}

	// The event before or after the frame at hand, of those that the time line shows.
	seekEvent(direction) {
		const here = this.frame;
		const frames = this.recording.events.filter((event) => this.timeline.shown.has(event.kind)).map((event) => event.frame);
		const found = direction > 0 ? frames.find((frame) => frame > here) : frames.reverse().find((frame) => frame < here);
		if (found)
			this.seekFrame(found);
	}

	setPlaying(playing) {
		if (playing && this.time >= this.recording.duration)
			this.time = 0;
		this.playing = playing;
		byId("play").classList.toggle("on", playing);
		this.stale = true;
	}

	// Called for every picture; seconds: since the one before.
	tick(seconds) {
		if (this.playing) {
			this.seek(this.time + seconds * this.speed);
			if (this.time >= this.recording.duration)
				this.setPlaying(false);
		}
		if (this.stale)
			this.draw();
		this.stale = false;
	}

	// Large ground comes bit by bit, so that the page answers meanwhile.
	goOnWithGround() {
		const { ground } = this;
		byId("loading").hidden = ground.isComplete;
		byId("loading").textContent = `the ground: ${Math.floor(100 * ground.share)} %`;
		if (this.isDisposed || ground.isComplete)
			return;
		setTimeout(() => {
			ground.makeFor(SLICE);
			if (ground.share - this.drawnShare > 0.1) {
				this.drawnShare = ground.share;
				this.stale = true;
			}
			if (ground.isComplete && !this.isDisposed)
				this.seeGround();
			this.goOnWithGround();
		});
	}

	// All of the ground is there: what is seen from where is known only now.
	seeGround() {
		this.stale = true;
		if (!this.camera.isMoved)
			this.frameAll();
	}

	// ---- what is looked at ----

	select(track) {
		this.selected = track;
		if (!track)
			this.follow(false);
		this.panel.eventsKey = null;
		this.stale = true;
	}

	follow(following) {
		this.following = following && this.selected > 0;
		byId("follow").classList.toggle("on", this.following);
		this.stale = true;
	}

	// The camera sees where things move, or all of the ground where nothing does.
	frameAll() {
		const { recording, view } = this;
		const box = new THREE.Box3();
		const cursor = new Cursor(recording);
		const step = Math.max(1, Math.floor(recording.frames / 60));
		const lows = [[], [], []];
		const highs = [[], [], []];
		const points = [];
		const start = new THREE.Box3();
		for (let frame = 1; frame <= recording.frames; frame += step) {
			cursor.seek(frame);
			recording.tracks.forEach((_, i) => {
				if (!recording.isThere(i + 1, frame) || recording.lookAt(i + 1, frame).motion === "static")
					return;
				const place = cursor.position(i + 1, []).map((value, axis) => value - view.origin[axis]);
				const reach = this.bodies.reach(i + 1);
				place.forEach((value, axis) => lows[axis].push(value - reach) && highs[axis].push(value + reach));
				points.push(new THREE.Vector3(...place));
				if (frame === 1)
					start.union(new THREE.Box3().setFromCenterAndSize(points[points.length - 1],
						new THREE.Vector3(2 * reach, 2 * reach, 2 * reach)));
			});
		}
		const some = points.filter((_, i) => i % Math.ceil(points.length / 10) === 0);
		// What flies off alone is not waited for.
		if (points.length > 0) {
			const [low, high] = [[0.03, lows], [0.97, highs]].map(([share, lists]) => lists.map((list) => {
				list.sort((a, b) => a - b);
				return list[Math.floor(share * (list.length - 1))];
			}));
			box.set(new THREE.Vector3(...low), new THREE.Vector3(...high)).expandByScalar(this.marks.length);
			const both = start.union(box);
			if (both.getSize(new THREE.Vector3()).length() < WIDER * box.getSize(new THREE.Vector3()).length())
				box.copy(both);
		} else {
			box.setFromObject(this.bodies.group).union(new THREE.Box3().setFromObject(this.ground.solid));
		}
		const ball = box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 10) : box.getBoundingSphere(new THREE.Sphere());
		this.camera.frame(ball.center, Math.max(ball.radius, 0.1));
		this.camera.findSight(some, this.ground.solid);
		this.stale = true;
	}

	// ---- the picture ----

	draw() {
		const { frame, alpha } = this.recording.frameAt(this.time);
		if (this.recording.paintFor(frame)) {
			this.bodies.recolor();
			this.ground.recolor();
		}
		this.bodies.update(frame, alpha);
		if (this.ghosts) {
			const at = this.recording.ghosts.frameAt(this.time);
			this.ghosts.update(at.frame, at.alpha);
			this.ghosts.group.visible = this.show.ghosts;
			this.ghosts.hideLike(this.bodies);
		}
		this.ground.update(frame);
		this.ground.solid.visible = this.show.ground;
		this.ground.water.visible = this.show.water;
		const mesh = this.bodies.meshes[this.selected];
		if (this.following && mesh && mesh.visible)
			this.camera.target.copy(mesh.position);
		this.camera.apply();
		this.marks.update(this.show, this.selected);
		this.view.draw();
		this.timeline.draw(this.time);
		this.panel.showLegend(this.bodies);
		this.panel.showTrack(this.selected, this.bodies);
		this.showClock(frame);
	}

	showClock(frame) {
		const { recording } = this;
		const own = recording.time[frame - 1];
		const back = Math.abs(own - recording.time[0] - this.time) > 0.05 ? `, world at ${own.toFixed(2)} s` : "";
		byId("clock").textContent = `${this.time.toFixed(2)} / ${recording.duration.toFixed(2)} s, step ${recording.step[frame - 1]}${back}`;
		const counts = [0, 0, 0];
		for (let track = 1; track <= recording.tracks.length; track++)
			if (recording.isThere(track, frame) && recording.lookAt(track, frame).motion === "dynamic")
				counts[this.bodies.from.states[track]]++;
		byId("counts").textContent = counts.map((count, state) => `${count} ${STATES[state]}`).join(" · ");
	}

	dispose() {
		this.isDisposed = true;
		for (const part of [this.ground, this.bodies, this.ghosts, this.marks, this.timeline])
			if (part)
				part.dispose();
	}
}
