// The picture: renderer, light, and what the other files put into the scene. Everything in it is relative to `origin`,
// near which the recording happens, since graphics cards count in single precision.

class View {
	constructor(canvas, origin) {
		this.canvas = canvas;
		this.origin = origin;
		this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
		this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
		this.renderer.shadowMap.enabled = true;
		this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
		if ("outputEncoding" in this.renderer)
			this.renderer.outputEncoding = THREE.sRGBEncoding;
		else
			this.renderer.gammaOutput = true;
		this.scene = new THREE.Scene();
		this.camera = new THREE.PerspectiveCamera(45, 1, 0.1, 5000);
		this.addLights();
		this.resize();
		window.addEventListener("resize", () => this.resize());
	}

	addLights() {
		this.scene.add(new THREE.HemisphereLight(0xc4d6ee, 0x5d564c, 0.62));
		const sun = new THREE.DirectionalLight(0xfff0d8, 1.2);
		sun.castShadow = true;
		sun.shadow.mapSize.set(2048, 2048);
		sun.shadow.bias = -0.0006;
		this.sun = sun;
		this.scene.add(sun, sun.target);
	}

	// The sun's shadows reach as far about a point as the camera looks.
	lightAbout(point, radius) {
		const { sun } = this;
		sun.target.position.copy(point);
		sun.position.set(0.5, 0.85, 0.32).normalize().multiplyScalar(3 * radius).add(point);
		const camera = sun.shadow.camera;
		if (camera.right !== radius) {
			camera.left = camera.bottom = -radius;
			camera.right = camera.top = radius;
			camera.near = radius;
			camera.far = 5 * radius;
			camera.updateProjectionMatrix();
		}
	}

	resize() {
		const { clientWidth: width, clientHeight: height } = this.canvas;
		this.renderer.setSize(width, height, false);
		this.camera.aspect = width / Math.max(1, height);
		// The middle of the picture is that of what the controls leave free.
		this.camera.setViewOffset(width, height, 0, byId("bottom").offsetHeight / 2, width, height);
		this.camera.updateProjectionMatrix();
		this.stale = true;
	}

	draw() {
		this.renderer.render(this.scene, this.camera);
	}
}

function emptyObject(object) {
	for (const child of [...object.children]) {
		object.remove(child);
		if (child.geometry && !child.isShared)
			child.geometry.dispose();
	}
}
