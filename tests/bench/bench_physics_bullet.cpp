// Bullet (libbullet-dev) with its usual settings: dynamic tree, sequential impulses, ten rounds, warm starting.
#include "bench_physics.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

namespace
{

struct World {
	btDefaultCollisionConfiguration configuration;
	btCollisionDispatcher dispatcher;
	btDbvtBroadphase broadphase;
	btSequentialImpulseConstraintSolver solver;
	btDiscreteDynamicsWorld world;
	std::vector<std::unique_ptr<btCollisionShape>> shapes;
	std::vector<std::unique_ptr<btMotionState>> states;
	std::vector<std::unique_ptr<btRigidBody>> bodies;
	std::vector<std::unique_ptr<btTypedConstraint>> joints;
	std::unique_ptr<btTriangleIndexVertexArray> triangles;
	const BenchScene *scene;
	World() : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration) {}
};

btTransform Placed(const double p[3], const double q[4])
{
	return btTransform(btQuaternion(btScalar(q[0]), btScalar(q[1]), btScalar(q[2]), btScalar(q[3])),
	                   btVector3(btScalar(p[0]), btScalar(p[1]), btScalar(p[2])));
}

btCollisionShape *ShapeOf(World *w, const BenchPart *part)
{
	btCollisionShape *shape = nullptr;
	switch (part->shape) {
	case BENCH_BALL:
		shape = new btSphereShape(btScalar(part->radius));
		break;
	case BENCH_CAPSULE:
		shape = new btCapsuleShape(btScalar(part->radius), btScalar(part->length));
		break;
	case BENCH_BOX:
		shape = new btBoxShape(
		    btVector3(btScalar(part->size[0] / 2), btScalar(part->size[1] / 2), btScalar(part->size[2] / 2)));
		break;
	case BENCH_HULL: {
		auto *hull = new btConvexHullShape;
		for (int i = 0; i < part->point_count; i++) {
			const double *p = part->points + 3 * i;
			hull->addPoint(btVector3(btScalar(p[0]), btScalar(p[1]), btScalar(p[2])), false);
		}
		hull->recalcLocalAabb();
		shape = hull;
		break;
	}
	}
	w->shapes.emplace_back(shape);
	return shape;
}

// Of the box around the shape, near enough for choosing masses: only their ratios matter to a solver, and equal shapes
// get equal ones.
double VolumeOf(const BenchPart *part)
{
	const double pi = 3.14159265358979;
	switch (part->shape) {
	case BENCH_BALL:
		return 4.0 / 3.0 * pi * std::pow(part->radius, 3);
	case BENCH_CAPSULE:
		return pi * part->radius * part->radius * (part->length + 4.0 / 3.0 * part->radius);
	case BENCH_BOX:
		return part->size[0] * part->size[1] * part->size[2];
	default: {
		double lo[3] = {1e9, 1e9, 1e9}, hi[3] = {-1e9, -1e9, -1e9};
		for (int i = 0; i < 3 * part->point_count; i++) {
			lo[i % 3] = std::fmin(lo[i % 3], part->points[i]);
			hi[i % 3] = std::fmax(hi[i % 3], part->points[i]);
		}
		return 0.5 * (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]);
	}
	}
}

void AddBody(World *w, const BenchScene *scene, const BenchBody *from)
{
	const BenchPart *parts = scene->parts + from->first_part;
	btCollisionShape *shape;
	double mass = 0.0;
	if (from->part_count == 1) {
		shape = ShapeOf(w, parts);
		mass = BENCH_DENSITY * VolumeOf(parts);
	} else {
		auto *compound = new btCompoundShape;
		for (int i = 0; i < from->part_count; i++) {
			compound->addChildShape(Placed(parts[i].position, parts[i].rotation), ShapeOf(w, parts + i));
			mass += BENCH_DENSITY * VolumeOf(parts + i);
		}
		w->shapes.emplace_back(compound);
		shape = compound;
	}
	if (from->motion != BENCH_DYNAMIC)
		mass = 0.0;
	btVector3 inertia(0, 0, 0);
	if (mass > 0.0)
		shape->calculateLocalInertia(btScalar(mass), inertia);
	auto *state = new btDefaultMotionState(Placed(from->position, from->rotation));
	w->states.emplace_back(state);
	btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), state, shape, inertia);
	info.m_friction = btScalar(std::sqrt(BENCH_FRICTION)); // it multiplies both sides'
	auto *body = new btRigidBody(info);
	w->bodies.emplace_back(body);
	if (from->motion == BENCH_KINEMATIC)
		body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
	body->setActivationState(DISABLE_DEACTIVATION);
	w->world.addRigidBody(body);
}

void AddGround(World *w, const BenchGround *g)
{
	w->triangles.reset(new btTriangleIndexVertexArray(g->triangle_count, reinterpret_cast<int *>(g->triangles), 12,
	                                                  g->vertex_count, g->vertices, 12));
	auto *shape = new btBvhTriangleMeshShape(w->triangles.get(), true);
	w->shapes.emplace_back(shape);
	btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shape);
	info.m_friction = btScalar(std::sqrt(BENCH_FRICTION));
	auto *body = new btRigidBody(info);
	w->bodies.emplace_back(body);
	w->world.addRigidBody(body);
}

void *Open(BenchScene *scene, int)
{
	auto *w = new World;
	w->scene = scene;
	w->world.setGravity(btVector3(0, btScalar(-BENCH_GRAVITY), 0));
	for (int i = 0; i < scene->body_count; i++)
		AddBody(w, scene, &scene->bodies[i]);
	if (scene->ground.triangle_count > 0)
		AddGround(w, &scene->ground);
	for (int i = 0; i < scene->joint_count; i++) {
		const BenchJoint *joint = &scene->joints[i];
		btRigidBody *a = w->bodies[joint->a].get(), *b = w->bodies[joint->b].get();
		btVector3 at(btScalar(joint->at[0]), btScalar(joint->at[1]), btScalar(joint->at[2]));
		auto *made = new btPoint2PointConstraint(*a, *b, a->getWorldTransform().inverse() * at,
		                                         b->getWorldTransform().inverse() * at);
		w->joints.emplace_back(made);
		w->world.addConstraint(made, true);
	}
	return w;
}

void Step(void *world, const BenchScene *scene, int step)
{
	World *w = static_cast<World *>(world);
	if (scene->drive) {
		double position[3], rotation[4];
		scene->drive(step + 1, position, rotation);
		w->states[scene->driven]->setWorldTransform(Placed(position, rotation));
	}
	w->world.stepSimulation(btScalar(BENCH_DT), 0);
}

void Close(void *world)
{
	World *w = static_cast<World *>(world);
	for (auto &joint : w->joints)
		w->world.removeConstraint(joint.get());
	for (auto &body : w->bodies)
		w->world.removeRigidBody(body.get());
	delete w;
}

void Look(void *world, double *height, double *speed)
{
	World *w = static_cast<World *>(world);
	int count = 0;
	*height = *speed = 0.0;
	for (int i = 0; i < w->scene->body_count; i++) {
		if (w->scene->bodies[i].motion != BENCH_DYNAMIC)
			continue;
		*height += w->bodies[i]->getWorldTransform().getOrigin().y();
		*speed = std::fmax(*speed, w->bodies[i]->getLinearVelocity().length());
		count++;
	}
	*height /= count > 0 ? count : 1;
}

int Contacts(void *world)
{
	World *w = static_cast<World *>(world);
	int count = 0;
	for (int i = 0; i < w->dispatcher.getNumManifolds(); i++)
		count += w->dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
	return count;
}

} // namespace

const BenchEngine bench_bullet_physics = {"Bullet", Open, Step, Close, Look, Contacts, nullptr};
