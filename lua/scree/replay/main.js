// Starts the page, and connects its controls.

let THREE; // unpacked before anything uses it

async function loadThree() {
	const text = new TextDecoder().decode(await unpackElement("three"));
	const script = document.createElement("script");
	script.textContent = text;
	document.head.append(script);
	THREE = window.THREE;
}

function showMessage(text) {
	byId("message").hidden = !text;
	byId("message").textContent = text || "";
}

// The parts of the address after #: t, seconds; w, which world; a, the assembly that is selected.
function readAddress() {
	return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

class App {
	constructor(header, blob) {
		this.header = header;
		this.recordings = header.recordings.map((one) => new Recording(one, blob));
		this.canvas = byId("view");
		const address = readAddress();
		this.open(Math.min(this.recordings.length, Math.max(1, Number(address.w) || 1)));
		this.goTo({ t: header.start, a: header.select, ...address });
		this.connect();
		showMessage(header.message);
		this.live = header.watch ? new Live(this, header.watch) : null;
		let before = performance.now();
		const tick = (now) => {
			this.player.tick(Math.min(0.1, Math.max(0, (now - before) / 1000)));
			before = now;
			requestAnimationFrame(tick);
		};
		requestAnimationFrame(tick);
	}

	// Shows one of the worlds.
	open(number) {
		const recording = this.recordings[number - 1];
		const old = this.player;
		if (old)
			old.dispose();
		const origin = this.originOf(recording);
		if (!this.view) {
			this.view = new View(this.canvas, origin);
			this.camera = new OrbitCamera(this.view, () => (this.player.stale = true));
		}
		this.view.origin = origin;
		this.number = number;
		this.player = new Player(recording, this.view, this.camera);
		if (old) {
			Object.assign(this.player.show, old.show);
			this.player.speed = old.speed;
			this.player.bodies.mode = old.bodies.mode;
		}
	}

	// A whole number of metres near the first assembly that moves, or the ground.
	originOf(recording) {
		const track = 1 + Math.max(0, recording.tracks.findIndex(({ motion, first }) => motion !== "static" && first === 1));
		const cursor = new Cursor(recording);
		if (recording.tracks.length > 0) {
			cursor.seek(recording.tracks[track - 1].first);
			return cursor.position(track, []).map(Math.round);
		}
		const block = recording.blocks[0];
		return block ? block.slice(0, 3).map((value) => value * recording.block * recording.cell) : [0, 0, 0];
	}

	goTo({ t, a }) {
		const { player } = this;
		if (t !== undefined && Number.isFinite(Number(t))) {
			player.setPlaying(false);
			player.seek(Number(t));
		}
		if (Number(a) >= 1 && Number(a) <= player.recording.tracks.length)
			player.select(Number(a));
	}

	address() {
		const parts = [`t=${this.player.time.toFixed(3)}`];
		if (this.number > 1)
			parts.push(`w=${this.number}`);
		if (this.player.selected)
			parts.push(`a=${this.player.selected}`);
		return `#${parts.join("&")}`;
	}

	// ---- controls ----

	connect() {
		const on = (id, action) => byId(id).addEventListener("click", () => action(this.player));
		on("first", (player) => player.seekFrame(1));
		on("back", (player) => player.step(-1));
		on("play", (player) => player.setPlaying(!player.playing));
		on("forward", (player) => player.step(1));
		on("last", (player) => player.seekFrame(player.recording.frames));
		on("follow", (player) => player.follow(!player.following));
		on("close", (player) => player.select(0));
		on("link", () => this.copyLink());
		byId("speed").addEventListener("change", (event) => (this.player.speed = Number(event.target.value)));
		byId("colors").addEventListener("change", (event) => {
			this.player.bodies.mode = event.target.value;
			this.player.stale = true;
		});
		for (const name of Object.keys(this.player.show))
			byId(`show-${name}`).addEventListener("change", (event) => {
				this.player.show[name] = event.target.checked;
				this.player.stale = true;
			});
		window.addEventListener("keydown", (event) => this.key(event));
		window.addEventListener("hashchange", () => this.readLink());
		window.addEventListener("resize", () => (this.player.stale = true));
		byId("view").addEventListener("click", (event) => this.click(event));
		byId("message").addEventListener("click", () => showMessage(""));
		this.connectWorlds();
	}

	// The controls say what is so.
	showChoices() {
		const { player } = this;
		byId("colors").value = player.bodies.mode;
		byId("speed").value = String(player.speed);
		byId("worlds").value = String(this.number);
		for (const [name, value] of Object.entries(player.show))
			byId(`show-${name}`).checked = value;
	}

	connectWorlds() {
		const select = byId("worlds");
		select.hidden = this.recordings.length < 2;
		this.recordings.forEach((recording, i) => {
			const text = `world ${i + 1}: ${recording.duration.toFixed(1)} s, ${recording.tracks.length} assemblies`;
			select.append(element("option", { value: i + 1, selected: i + 1 === this.number }, text));
		});
		select.addEventListener("change", () => this.open(Number(select.value)));
	}

	readLink() {
		const address = readAddress();
		const world = Number(address.w) || 1;
		if (world !== this.number && this.recordings[world - 1])
			this.open(world);
		this.showChoices();
		this.goTo(address);
	}

	copyLink() {
		history.replaceState(null, "", this.address());
		const button = byId("link");
		const done = (text) => {
			button.textContent = text;
			setTimeout(() => (button.textContent = "link"), 1500);
		};
		if (navigator.clipboard)
			navigator.clipboard.writeText(location.href).then(() => done("copied"), () => done("in the address"));
		else
			done("in the address");
	}

	click(event) {
		if (this.camera.travelled > 6)
			return;
		const box = this.canvas.getBoundingClientRect();
		const x = 2 * (event.clientX - box.left) / box.width - 1;
		const y = 1 - 2 * (event.clientY - box.top) / box.height;
		this.player.select(this.player.bodies.pick(x, y));
	}

	key(event) {
		if (event.target.matches("input, select") && event.key !== "Escape" || event.ctrlKey || event.metaKey || event.altKey)
			return;
		const { player } = this;
		const toggle = (id) => byId(id).click();
		const speed = (way) => {
			const list = byId("speed");
			list.selectedIndex = Math.min(list.options.length - 1, Math.max(0, list.selectedIndex + way));
			player.speed = Number(list.value);
		};
		const actions = {
			" ": () => player.setPlaying(!player.playing),
			ArrowLeft: () => player.step(event.shiftKey ? -10 : -1),
			ArrowRight: () => player.step(event.shiftKey ? 10 : 1),
			Home: () => player.seekFrame(1),
			End: () => player.seekFrame(player.recording.frames),
			",": () => player.seekEvent(-1),
			".": () => player.seekEvent(1),
			"+": () => speed(1),
			"=": () => speed(1),
			"-": () => speed(-1),
			f: () => player.follow(!player.following),
			c: () => player.frameAll(),
			i: () => toggle("show-arrows"),
			j: () => toggle("show-joints"),
			Escape: () => player.select(0),
		};
		const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
		if (action) {
			event.preventDefault();
			action();
		}
	}
}

async function start() {
	await loadThree();
	const data = await unpackElement("data");
	const from = new Reader(data);
	const header = JSON.parse(from.text());
	const app = new App(header, data.subarray(from.at));
	app.readMesh = (columns) => readMesh(columns, app.player.recording.quantum, app.player.recording.cell);
	window.replay = app; // for the console, and for tests
}

start().catch((error) => {
	console.error(error);
	showMessage(`The page could not be shown: ${error.message}`);
});
