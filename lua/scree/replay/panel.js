// What is said in words and numbers: the legend, facts of the recording, and all about the assembly that is selected.

function element(name, attributes = {}, ...children) {
	const made = Object.assign(document.createElement(name), attributes);
	made.append(...children);
	return made;
}

function byId(id) {
	return document.getElementById(id);
}

// As short as it is exact enough.
function short(value, digits = 4) {
	if (value === 0)
		return "0";
	const size = Math.abs(value);
	return size >= 1e6 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(digits)));
}

function place(list, digits = 3) {
	return list.map((value) => value.toFixed(digits)).join("  ");
}

function bytesText(count) {
	return count < 2000 ? `${Math.round(count)} B` : count < 2e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

function fillTable(table, rows) {
	table.textContent = "";
	for (const [name, value] of rows)
		table.append(element("tr", {}, element("td", {}, name), element("td", {}, value)));
}

class Panel {
	constructor(recording, { select, seek }) {
		this.recording = recording;
		this.select = select;
		this.seek = seek;
		this.showFacts();
	}

	showFacts() {
		const { recording } = this;
		const sum = recording.pose_bytes.reduce((a, b) => a + b, 0);
		const moved = recording.movedOf.reduce((a, b) => a + b, 0);
		fillTable(byId("facts"), [
			["frames", String(recording.frames)],
			["assemblies", String(recording.tracks.length)],
			["joints", String(recording.joints.length)],
			["moving, mean", short(moved / recording.frames, 3)],
			["bytes a frame", `${bytesText(sum / recording.frames)} + ${bytesText(recording.arrowBytes.length / recording.frames)}`],
			["all poses", bytesText(sum)],
			["gravity", place(recording.gravity, 2)],
			["a cell", `${short(recording.cell)} m`],
		]);
	}

	// The legend of the colours, with how many there are of each.
	showLegend(bodies) {
		const { recording } = this;
		const rows = new Map();
		const count = (name, color) => {
			const row = rows.get(name) || { color, count: 0 };
			row.count++;
			rows.set(name, row);
		};
		for (let track = 1; track <= recording.tracks.length; track++) {
			if (!recording.isThere(track, bodies.from.frame))
				continue;
			if (bodies.mode === "material") {
				const { shape } = recording.lookAt(track, bodies.from.frame);
				const names = new Set(recording.shapes[shape - 1].map((part) => part.material));
				for (const index of names)
					count(recording.materialName(index), `#${recording.materials[index].color.toString(16).padStart(6, "0")}`);
			} else if (bodies.mode !== "assembly") {
				const [key, color] = bodies.colorOf(track);
				const css = color instanceof THREE.Color ? `#${color.getHexString()}` : `#${color.toString(16).padStart(6, "0")}`;
				const name = key.startsWith("group ") ? recording.nameOf(Number(key.slice(6))) + " and others"
					: { alone: "not joined", still: "static, kinematic" }[key] || key;
				count(name, css);
			}
		}
		const list = [...rows].sort((a, b) => b[1].count - a[1].count).slice(0, 9);
		const text = list.map(([name, row]) => name + row.color + row.count).join();
		if (text === this.legendText)
			return;
		this.legendText = text;
		byId("legend").textContent = "";
		for (const [name, row] of list) {
			const dot = element("span", { className: "dot" });
			dot.style.background = row.color;
			byId("legend").append(element("div", {}, dot, `${name}  ${row.count}`));
		}
	}

	link(text, action) {
		return element("a", { onclick: action }, text);
	}

	linkTo(track) {
		return track ? this.link(this.recording.nameOf(track), () => this.select(track)) : "the ground";
	}

	// Everything about a track at the cursor's frame.
	showTrack(track, bodies) {
		byId("right").hidden = !track;
		if (!track)
			return;
		const cursor = bodies.from;
		byId("name").textContent = this.recording.nameOf(track);
		if (!this.recording.isThere(track, cursor.frame)) {
			const { first, last } = this.recording.tracks[track - 1];
			const clock = this.recording.clock;
			const until = last === undefined ? "the end" : `${clock[last - 1].toFixed(2)} s`;
			fillTable(byId("numbers"), [["is there", `from ${clock[first - 1].toFixed(2)} s to ${until}`]]);
			byId("contacts-title").hidden = true;
			byId("contacts").textContent = "";
		} else {
			fillTable(byId("numbers"), this.numbers(track, cursor, bodies));
			this.showContacts(track, cursor);
		}
		this.showEvents(track, cursor.frame);
	}

	numbers(track, cursor, bodies) {
		const { recording } = this;
		const one = recording.tracks[track - 1];
		const look = recording.lookAt(track, cursor.frame);
		const parts = recording.shapes[look.shape - 1];
		const motion = this.motion(track, cursor.frame);
		const rotation = cursor.rotation(track, []);
		const rows = [
			["number, id", `${one.number || track}, ${one.id}`],
			["motion", look.motion],
			["state", look.motion === "dynamic" ? STATES[cursor.states[track]] : "-"],
			["position, m", place(cursor.position(track, []))],
			["rotation", place(rotation)],
			["speed, m/s", motion ? short(motion.speed) : "-"],
			["velocity, m/s", motion ? place(motion.velocity, 2) : "-"],
			["turning, rad/s", motion ? short(motion.turning) : "-"],
			["mass, kg", look.motion === "dynamic" ? short(look.mass) : "-"],
			["parts", this.partsText(parts)],
			["material", [...new Set(parts.map((part) => recording.materialName(part.material)))].join(", ")],
		];
		const joints = recording.jointsAt(cursor.frame).filter((joint) => joint.a === track || joint.b === track);
		for (const joint of joints)
			rows.push([joint.type, this.linkTo(joint.a === track ? joint.b : joint.a)]);
		const group = recording.mechanismsAt(cursor.frame).get(track);
		if (group) {
			const count = [...recording.mechanismsAt(cursor.frame).values()].filter((other) => other === group).length;
			rows.push(["mechanism", `${count} assemblies`]);
		}
		return rows;
	}

	partsText(parts) {
		const counts = new Map();
		for (const part of parts)
			counts.set(part.shape, (counts.get(part.shape) || 0) + 1);
		return [...counts].map(([shape, count]) => (count > 1 ? `${count} ${shape}` : shape)).join(", ");
	}

	// From this frame and the one before: the velocity of the centre of mass, and how fast it turns.
	motion(track, frame) {
		const { recording } = this;
		const dt = recording.clock[frame - 1] - recording.clock[frame - 2];
		if (!(dt > 0) || !recording.isThere(track, frame - 1))
			return null;
		this.cursor = this.cursor || new Cursor(recording);
		const state = (at) => {
			this.cursor.seek(at);
			const rotation = new THREE.Quaternion(...this.cursor.rotation(track, []));
			const center = new THREE.Vector3(...recording.tracks[track - 1].center).applyQuaternion(rotation).toArray();
			const position = this.cursor.position(track, []);
			return { rotation, center: position.map((value, i) => value + center[i]) };
		};
		const [before, now] = [state(frame - 1), state(frame)];
		const velocity = now.center.map((value, i) => (value - before.center[i]) / dt);
		const turn = now.rotation.clone().multiply(before.rotation.clone().conjugate());
		const angle = 2 * Math.atan2(Math.hypot(turn.x, turn.y, turn.z), Math.abs(turn.w));
		return { velocity, speed: Math.hypot(...velocity), turning: angle < 2e-4 ? 0 : angle / dt };
	}

	showContacts(track, cursor) {
		const rows = this.recording.arrowsAt(cursor).filter((arrow) => arrow.track === track || arrow.other === track)
			.sort((a, b) => b.size - a.size).slice(0, 8);
		byId("contacts-title").hidden = rows.length === 0;
		const table = byId("contacts");
		table.textContent = "";
		for (const arrow of rows) {
			const other = arrow.track === track ? arrow.other : arrow.track;
			const name = arrow.joint ? element("span", {}, "joint to ", other ? this.linkTo(other) : "the world") : this.linkTo(other);
			table.append(element("tr", {}, element("td", {}, name), element("td", {}, `${short(arrow.size, 3)} N s`)));
		}
	}

	showEvents(track, frame) {
		const list = this.recording.events.filter((event) => event.a === track || event.b === track);
		const key = `${track} ${list.filter((event) => event.frame <= frame).length} ${list.length}`;
		if (key === this.eventsKey)
			return;
		this.eventsKey = key;
		const box = byId("events");
		box.textContent = "";
		let now = null;
		for (const event of list.slice(-400)) {
			const row = element("div", {}, this.link(this.eventText(event, track), () => this.seek(event.frame)));
			if (event.frame <= frame)
				now = row;
			box.append(row);
		}
		if (now) {
			now.className = "now";
			box.scrollTop = now.offsetTop - box.offsetTop - 60;
		}
	}

	eventText(event, track) {
		const time = this.recording.clock[event.frame - 1].toFixed(2);
		const other = event.a === track ? event.b : event.a;
		const words = [`${time} s `, event.kind.replace("_", " ")];
		if (event.terrain)
			words.push("the ground");
		else if (other)
			words.push(this.recording.nameOf(other));
		if (event.kind === "hit")
			words.push(`${short(event.speed, 3)} m/s, ${short(event.impulse, 3)} N s`);
		if (event.reason)
			words.push(event.reason);
		return words.join(" ");
	}
}
