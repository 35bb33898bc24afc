// The time line: how much moved, and a tick for each event. A click or a drag on it goes to that moment.

const EVENT_COLORS = {
	hit: "#ff5a4e", joint_break: "#ff3df2", detach: "#ff9f1c", sleep: "#6f9fe0", wake: "#ffd23f", water_enter: "#35c4e8",
	water_exit: "#8fe3f5", spawn: "#7ddc6f", destroy: "#c0392b", edit: "#c98f5a", restore: "#ffffff",
	contact_begin: "#d0d0d0", contact_end: "#808890",
};
// What is not shown until it is asked for.
const QUIET = ["contact_begin", "contact_end"];
const LANE = 7; // pixels

class Timeline {
	constructor(recording, { canvas, hint, ticks, onSeek }) {
		this.recording = recording;
		this.canvas = canvas;
		this.hint = hint;
		this.onSeek = onSeek;
		this.kinds = [...new Set(recording.events.map((event) => event.kind))].sort((a, b) => this.rank(a) - this.rank(b));
		this.shown = new Set(this.kinds.filter((kind) => !QUIET.includes(kind)));
		this.makeTicks(ticks);
		this.listening = new AbortController();
		this.listen();
	}

	rank(kind) {
		const rank = Object.keys(EVENT_COLORS).indexOf(kind);
		return rank < 0 ? 100 : rank;
	}

	makeTicks(element) {
		element.textContent = "";
		for (const kind of this.kinds) {
			const label = document.createElement("label");
			label.innerHTML = '<input type="checkbox"><span class="dot"></span>';
			label.querySelector(".dot").style.background = EVENT_COLORS[kind] || "#ccc";
			const count = this.recording.events.filter((event) => event.kind === kind).length;
			label.append(`${kind.replace("_", " ")} ${count}`);
			const box = label.querySelector("input");
			box.checked = this.shown.has(kind);
			label.classList.toggle("off", !box.checked);
			box.addEventListener("change", () => {
				this.shown[box.checked ? "add" : "delete"](kind);
				label.classList.toggle("off", !box.checked);
				this.picture = null;
				this.draw(this.time);
			});
			element.append(label);
		}
	}

	listen() {
		const { canvas } = this;
		const { signal } = this.listening;
		const timeAt = (event) => {
			const box = canvas.getBoundingClientRect();
			return this.recording.duration * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
		};
		canvas.addEventListener("pointerdown", (event) => {
			canvas.setPointerCapture(event.pointerId);
			this.onSeek(timeAt(event));
		}, { signal });
		canvas.addEventListener("pointermove", (event) => {
			if (event.buttons & 1)
				this.onSeek(timeAt(event));
			this.tell(event, timeAt(event));
		}, { signal });
		canvas.addEventListener("pointerleave", () => (this.hint.hidden = true), { signal });
		window.addEventListener("resize", () => (this.picture = null), { signal });
	}

	// What there is under the pointer.
	tell(event, time) {
		const { frame } = this.recording.frameAt(time);
		const reach = Math.max(1, Math.round(this.recording.frames / this.canvas.clientWidth * 3));
		const counts = new Map();
		for (const { kind } of this.recording.events.filter((one) => Math.abs(one.frame - frame) <= reach))
			if (this.shown.has(kind))
				counts.set(kind, (counts.get(kind) || 0) + 1);
		const words = [...counts].map(([kind, count]) => `${kind.replace("_", " ")}${count > 1 ? " × " + count : ""}`);
		this.hint.textContent = [`${time.toFixed(2)} s`, ...words].join("\n");
		this.hint.hidden = false;
		const box = this.canvas.parentElement.getBoundingClientRect();
		this.hint.style.left = `${Math.min(box.width - 60, Math.max(60, event.clientX - box.left))}px`;
	}

	// All but the hand, which is drawn once.
	drawPicture(width, height, ratio) {
		const picture = document.createElement("canvas");
		picture.width = width * ratio;
		picture.height = height * ratio;
		const context = picture.getContext("2d");
		context.scale(ratio, ratio);
		const lanes = this.kinds.filter((kind) => this.shown.has(kind));
		const top = Math.max(14, height - LANE * lanes.length - 4);
		this.drawActivity(context, width, top);
		const lane = Math.min(LANE, (height - top - 2) / Math.max(1, lanes.length));
		for (const event of this.recording.events) {
			const row = lanes.indexOf(event.kind);
			if (row < 0)
				continue;
			context.fillStyle = EVENT_COLORS[event.kind] || "#ccc";
			context.globalAlpha = 0.75;
			context.fillRect(this.x(event.frame, width) - 0.75, top + 2 + row * lane, 1.5, Math.max(1.5, lane - 1));
		}
		this.picture = picture;
	}

	drawActivity(context, width, height) {
		const { movedOf, frames } = this.recording;
		const most = movedOf.reduce((a, b) => Math.max(a, b), 1);
		context.fillStyle = "rgba(255, 180, 84, 0.35)";
		context.beginPath();
		context.moveTo(0, height);
		const columns = new Float32Array(Math.ceil(width) + 1);
		for (let frame = 1; frame <= frames; frame++) {
			const column = Math.round(this.x(frame, width));
			columns[column] = Math.max(columns[column], movedOf[frame]);
		}
		for (let frame = 1; frame <= frames; frame++) {
			const x = this.x(frame, width);
			context.lineTo(x, height - (height - 3) * columns[Math.round(x)] / most);
		}
		context.lineTo(width, height);
		context.fill();
		context.fillStyle = "rgba(255, 255, 255, 0.25)";
		context.fillRect(0, height, width, 1);
	}

	x(frame, width) {
		const { clock, duration } = this.recording;
		return duration > 0 ? width * clock[Math.min(frame, clock.length) - 1] / duration : 0;
	}

	draw(time) {
		this.time = time;
		const { canvas } = this;
		const ratio = Math.min(2, window.devicePixelRatio || 1);
		const [width, height] = [canvas.clientWidth, canvas.clientHeight];
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
			this.picture = null;
		}
		if (width === 0)
			return;
		if (!this.picture)
			this.drawPicture(width, height, ratio);
		const context = canvas.getContext("2d");
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.clearRect(0, 0, canvas.width, canvas.height);
		context.drawImage(this.picture, 0, 0);
		context.scale(ratio, ratio);
		const { duration } = this.recording;
		context.fillStyle = "#fff";
		context.fillRect((duration > 0 ? width * time / duration : 0) - 1, 0, 2, height);
	}

	dispose() {
		this.listening.abort();
	}
}
