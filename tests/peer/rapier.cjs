// Six small scenes in Rapier, an independent engine, for tests/lua/test_peer.lua, which has the same scenes and compares.
//
//   node rapier.cjs SCENE [steps]      prints a line a step: 7 numbers a body (place x y z, rotation x y z w)
//   node rapier.cjs version
//
// 60 steps a second, 4 substeps ("solver iterations" there), no damping. Needs @dimforge/rapier3d-deterministic-compat
// where node looks for packages (NODE_PATH).

'use strict';

const RAPIER = require('@dimforge/rapier3d-deterministic-compat');

const WEIGHT = { x: 0, y: -9.81, z: 0 };
const NOWHERE = { x: 0, y: 0, z: 0 };

function newWorld(gravity) {
	const world = new RAPIER.World(gravity);
	world.timestep = 1 / 60;
	world.numSolverIterations = 4;
	return world;
}

// friction, restitution: of the pair, whatever the other side has.
function add(world, desc, collider, options) {
	const body = world.createRigidBody(desc.setCanSleep(false).setLinearDamping(0).setAngularDamping(0));
	if (options.mass !== undefined)
		collider.setMass(options.mass);
	collider.setFriction(options.friction || 0).setRestitution(options.restitution || 0);
	collider.setFrictionCombineRule(RAPIER.CoefficientCombineRule.Max);
	collider.setRestitutionCombineRule(RAPIER.CoefficientCombineRule.Max);
	world.createCollider(collider, body);
	return body;
}

function dynamic(x, y, z) {
	return RAPIER.RigidBodyDesc.dynamic().setTranslation(x, y, z);
}

// A slab whose top is at y = 0.
function addFloor(world) {
	const desc = RAPIER.RigidBodyDesc.fixed().setTranslation(0, -1, 0);
	return add(world, desc, RAPIER.ColliderDesc.cuboid(30, 1, 30), {});
}

const scenes = {
	drop(world) {
		return [add(world, dynamic(0, 20, 0).setLinvel(3, 0, -1), RAPIER.ColliderDesc.ball(0.5), { mass: 1 })];
	},

	slide(world) {
		addFloor(world);
		const desc = dynamic(-2, 0.5, 0).setLinvel(4, 0, 0);
		return [add(world, desc, RAPIER.ColliderDesc.cuboid(0.5, 0.5, 0.5), { mass: 1, friction: 0.5 })];
	},

	bounce(world) {
		addFloor(world);
		return [add(world, dynamic(0, 3.5, 0), RAPIER.ColliderDesc.ball(0.5), { mass: 1, restitution: 0.7 })];
	},

	pendulum(world) {
		const angle = Math.PI / 6, x = Math.sin(angle), y = -Math.cos(angle);
		const anchor = world.createRigidBody(RAPIER.RigidBodyDesc.fixed());
		const bob = add(world, dynamic(x, y, 0), RAPIER.ColliderDesc.ball(0.1), { mass: 1 });
		world.createImpulseJoint(RAPIER.JointData.spherical(NOWHERE, { x: -x, y: -y, z: 0 }), anchor, bob, true);
		return [bob];
	},

	motor(world) {
		const anchor = world.createRigidBody(RAPIER.RigidBodyDesc.fixed());
		const wheel = add(world, dynamic(0, 0, 0), RAPIER.ColliderDesc.ball(1), { mass: 10 });
		const data = RAPIER.JointData.revolute(NOWHERE, NOWHERE, { x: 0, y: 0, z: 1 });
		const joint = world.createImpulseJoint(data, anchor, wheel, true);
		joint.configureMotorModel(RAPIER.MotorModel.ForceBased);
		joint.configureMotorVelocity(3, 1e5);
		joint.setMotorMaxForce(8);
		return [wheel];
	},

	stack(world) {
		addFloor(world);
		const bodies = [];
		for (let i = 0; i < 5; i++) {
			const desc = dynamic(0.02 * (i % 2), 0.55 + 1.05 * i, 0);
			bodies.push(add(world, desc, RAPIER.ColliderDesc.cuboid(0.5, 0.5, 0.5), { mass: 1000, friction: 0.6 }));
		}
		return bodies;
	},
};

async function main() {
	await RAPIER.init();
	const name = process.argv[2], steps = Number(process.argv[3] || '120');
	if (name === 'version') {
		console.log(RAPIER.version());
		return;
	}
	if (!scenes[name])
		throw new Error(`unknown scene ${name}; there are ${Object.keys(scenes).join(' ')}`);
	const world = newWorld(name === 'motor' ? NOWHERE : WEIGHT);
	const bodies = scenes[name](world);
	for (let i = 0; i < steps; i++) {
		world.step();
		const numbers = [];
		for (const body of bodies) {
			const p = body.translation(), q = body.rotation();
			numbers.push(p.x, p.y, p.z, q.x, q.y, q.z, q.w);
		}
		console.log(numbers.join(' '));
	}
}

main();
