// The page of scree watch: asks its server whether there is a newer run, and takes moment, camera and choices along.

const ASK_EVERY = 500; // milliseconds
const KEPT = "scree watch"; // where they are kept while the page is loaded anew

class Live {
	constructor(app, run) {
		this.app = app;
		this.run = run;
		this.restore();
		setInterval(() => this.ask(), ASK_EVERY);
	}

	async ask() {
		let status;
		try {
			status = await (await fetch("status")).json();
		} catch {
			return; // the server has ended, or not begun
		}
		if (status.made && status.made !== this.run && !status.running) {
			this.keep();
			location.reload();
		} else if (!status.running && status.error && this.told !== status.run) {
			this.told = status.run; // once, so that it can be closed
			showMessage(status.error);
		}
	}

	keep() {
		const { player, camera, number } = this.app;
		sessionStorage.setItem(KEPT, JSON.stringify({
			number, time: player.time, playing: player.playing, speed: player.speed,
			selected: player.selected, following: player.following, mode: player.bodies.mode, show: player.show,
			camera: camera.save(), origin: this.app.view.origin,
		}));
	}

	restore() {
		const text = sessionStorage.getItem(KEPT);
		sessionStorage.removeItem(KEPT);
		if (!text)
			return;
		const kept = JSON.parse(text);
		const { app } = this;
		if (kept.number !== app.number && app.recordings[kept.number - 1])
			app.open(kept.number);
		const { player } = app;
		const { origin } = app.view;
		kept.camera.target = kept.camera.target.map((value, axis) => value + kept.origin[axis] - origin[axis]);
		app.camera.load(kept.camera);
		Object.assign(player.show, kept.show);
		player.speed = kept.speed;
		player.bodies.mode = kept.mode;
		app.showChoices();
		player.seek(kept.time);
		player.select(kept.selected <= player.recording.tracks.length ? kept.selected : 0);
		player.follow(kept.following);
		player.setPlaying(kept.playing);
	}
}
