---@meta _
-- For lua-language-server. Made from scree/api by make_reference.lua; not to be edited.
-- luacheck: ignore

---The module: `local scree = require "scree"`. Its mathematics has the same bits on every machine.
---@class scree
---@field version string `"0.1.0"`
local scree = {}

---Makes a world.
---@param options? scree.WorldOptions
---@return scree.World world
function scree.world(options) end

---A world from a file that `world:save` wrote.
---@param path string
---@param opts? scree.LoadOptions
---@return scree.World|nil world
---@return string? message what is wrong with the file
function scree.load(path, opts) end

---A vector from three numbers, or from what is a vector already.
---@param x number|scree.vec3|number[]
---@param y? number
---@param z? number
---@return scree.vec3 vector
function scree.vec3(x, y, z) end

---A rotation from four numbers, which are normalised, or from what is a rotation already.
---@param x number|scree.quat|number[]
---@param y? number
---@param z? number
---@param w? number
---@return scree.quat rotation
function scree.quat(x, y, z, w) end

---The turn about an axis (of any length), counter-clockwise seen from its tip.
---@param axis scree.vec3|number[]
---@param radians number
---@return scree.quat rotation
function scree.axis_angle(axis, radians) end

---The turn by z about Z, then by y about Y, then by x about X; radians.
---@param x number
---@param y number
---@param z number
---@return scree.quat rotation
function scree.euler(x, y, z) end

---Sine.
---@param x number rad
---@return number y
function scree.sin(x) end

---Cosine.
---@param x number rad
---@return number y
function scree.cos(x) end

---Tangent.
---@param x number rad
---@return number y
function scree.tan(x) end

---Arc sine.
---@param x number
---@return number radians
function scree.asin(x) end

---Arc cosine.
---@param x number
---@return number radians
function scree.acos(x) end

---Arc tangent of y / x.
---@param y number
---@param x? number 1
---@return number radians
function scree.atan(y, x) end

---The angle of the point (x, y), from -pi to pi.
---@param y number
---@param x number
---@return number radians
function scree.atan2(y, x) end

---e to the power x.
---@param x number
---@return number y
function scree.exp(x) end

---Natural logarithm.
---@param x number
---@return number y
function scree.log(x) end

---x to the power y; a negative x wants a whole y.
---@param x number
---@param y number
---@return number z
function scree.pow(x, y) end

---Square root.
---@param x number
---@return number y
function scree.sqrt(x) end

---Terrain, assemblies, joints and time. One that nobody holds is collected with everything in it.
---@class scree.World
---@field gravity scree.vec3 m/s²
---@field sleep scree.Sleep a copy; assign a table of what is to change
---@field time number s
---@field step_count integer steps made
---@field stats scree.Stats counts, bytes and milliseconds
---@field terrain scree.Terrain its ground
---@field materials scree.Materials its materials, by name
---@field cell_size number metres a cell of terrain
---@field substeps integer solver steps within a step
---@field threads integer as it was made with
---@field seed integer as it was made with; feeds nothing
---@field narrowphase "lattice"|"kdtree" as it was made with
---@field broadphase "bits"|"boxes" as it was made with
---@field collider_budget integer bytes
---@field snapshot_budget integer bytes
---@field valid boolean false once destroyed; never raises
local world = {}

---Makes steps. Not from inside an event handler.
---@param dt? number s, 1/60; at most 60, 0 changes nothing
---@param count? integer 1
function world:step(dt, count) end

---As many steps of 1/60 s as come nearest to a time.
---@param seconds number
function world:run(seconds) end

---Steps until everything dynamic sleeps.
---@param max_seconds number
---@return number|nil seconds the time it took; nil: not everything sleeps yet
function world:settle(max_seconds) end

---For render loops: the whole steps that a frame owes, at most 8.
---@param real_dt number s
---@return number alpha the fraction of a step that is left over, under 1
function world:advance(real_dt) end

---Makes an assembly. Only what is wrong with the file of a mesh is nil, message.
---@param options scree.SpawnOptions
---@return scree.Assembly assembly
---@return string? message what is wrong with the file
function world:spawn(options) end

---Ties two assemblies, or one to the world.
---@param options scree.JointOptions
---@return scree.Joint joint
function world:joint(options) end

---All assemblies in order of creation; not those made during the loop.
---@return fun(): scree.Assembly? iterator
function world:assemblies() end

---All joints that hold, in order of creation; not those made during the loop.
---@return fun(): scree.Joint? iterator
function world:joints() end

---The groups of assemblies that joints tie together; a generic `for` may also call the list.
---@return scree.Assembly[][] groups
function world:mechanisms() end

---The first thing on the way from one point to another.
---@param from scree.vec3|number[]
---@param to scree.vec3|number[]
---@param opts? scree.QueryOptions
---@return scree.Hit|nil hit
function world:raycast(from, to, opts) end

---Everything on the way, nearest first.
---@param from scree.vec3|number[]
---@param to scree.vec3|number[]
---@param opts? scree.QueryOptions
---@return scree.Hit[] hits
function world:raycast_all(from, to, opts) end

---The first thing that a moving shape touches. The shape's own position is added to both points.
---@param shape scree.QueryShape|scree.Compound
---@param from scree.vec3|number[]
---@param to scree.vec3|number[]
---@param opts? scree.QueryOptions
---@return scree.Hit|nil hit
function world:cast(shape, from, to, opts) end

---What a placed shape overlaps.
---@param shape scree.QueryShape|scree.Compound
---@param position scree.vec3|number[]
---@param opts? scree.QueryOptions
---@return scree.Assembly[] assemblies
---@return boolean terrain whether it meets the ground
---@return boolean water whether it meets water; only asked for with `water = true`
function world:overlap(shape, position, opts) end

---n rays at once, without garbage. The numbers in the buffers are not checked.
---@param n integer
---@param from ffi.cdata* 3 n
---@param to ffi.cdata* 3 n
---@param fractions ffi.cdata* n; receives the fraction of each hit, 2 for none
---@param opts? scree.QueryOptions
function world:raycasts(n, from, to, fractions, opts) end

---Where everything is, for renderers: 8 doubles an assembly (id, position, rotation).
---@param alpha? number 1: now; 0: at the start of the last step
---@return ffi.cdata* buffer read-only, until the next call or step
---@return integer count
function world:transforms(alpha) end

---The last step's events, or those of one kind.
---@param kind? "contact_begin"|"contact_end"|"hit"|"sleep"|"wake"|"water_enter"|"water_exit"|"joint_break"|"detach"
---@return fun(turn: integer?): scree.Event? iterator
---@return integer turn what a `for` hands the iterator
function world:events(kind) end

---Calls a function after every step for each event of a kind. It may create and destroy, but not step.
---@param kind "contact_begin"|"contact_end"|"hit"|"sleep"|"wake"|"water_enter"|"water_exit"|"joint_break"|"detach"
---@param fn fun(event: scree.Event)
---@return fun() disconnect
function world:on(kind, fn) end

---Digs by hardness and pushes dynamic assemblies away, less with the distance.
---@param options scree.Blast
---@return scree.BlastEdit result
function world:blast(options) end

---The world's whole state, for restore.
---@return string snapshot
function world:snapshot() end

---Back to a snapshot: from there everything happens again, bit for bit.
---@param snapshot string
---@return true|nil done
---@return string? message what is wrong with the file
function world:restore(snapshot) end

---16 hexadecimal digits over all simulated state.
---@return string digits
function world:hash() end

---Writes the whole world to a file, for `scree.load`.
---@param path string
---@param opts? scree.SaveOptions
---@return true|nil done
---@return string? message what is wrong with the file
function world:save(path, opts) end

---Writes a picture of the world into a PNG file.
---@param path string
---@param opts? scree.RenderOptions
---@return true|nil done
---@return string? message what is wrong with the file
function world:render(path, opts) end

---Ends the world and all that is in it.
function world:destroy() end

---A rigid thing of one or more parts. One live assembly is one Lua value.
---@class scree.Assembly
---@field position scree.vec3 m, of its origin
---@field rotation scree.quat 
---@field velocity scree.vec3 m/s, of the centre of mass
---@field angular_velocity scree.vec3 rad/s
---@field mass number kg; assigning scales the inertia
---@field center_of_mass scree.vec3 world point; assigning moves nothing but the centre
---@field inertia scree.vec3 kg m² about the centre: the diagonal, in its own axes
---@field motion "static"|"kinematic"|"dynamic" 
---@field gravity_scale number 
---@field can_sleep boolean 
---@field sleep_limits scree.SleepLimits its own limits; those that it has not are the world's
---@field bullet boolean swept against dynamic things too
---@field tag? any whatever the script keeps with it
---@field parts scree.Part[] their surfaces can be written: `a.parts[1].friction = 0.1`
---@field state "awake"|"checking"|"asleep" 
---@field submerged number share of its volume under water, 0 to 1
---@field net_impulse scree.vec3 N s over the last step, gravity included
---@field net_angular_impulse scree.vec3 N m s over the last step
---@field is_piece boolean it came off the terrain
---@field id number a whole number
---@field world scree.World 
---@field valid boolean false once destroyed; never raises
local assembly = {}

---A force during the next step; several add up.
---@param force scree.vec3|number[] N
---@param at? scree.vec3|number[] world point; the centre of mass
---@return boolean dynamic false: static or kinematic, so it does not give way
function assembly:apply_force(force, at) end

---An impulse at once.
---@param impulse scree.vec3|number[] N s
---@param at? scree.vec3|number[] world point; the centre of mass
---@return boolean dynamic false: static or kinematic, so it does not give way
function assembly:apply_impulse(impulse, at) end

---A torque during the next step.
---@param torque scree.vec3|number[] N m
---@return boolean dynamic false: static or kinematic, so it does not give way
function assembly:apply_torque(torque) end

---An angular impulse at once.
---@param impulse scree.vec3|number[] N m s
---@return boolean dynamic false: static or kinematic, so it does not give way
function assembly:apply_angular_impulse(impulse) end

---Kinematic only: the velocities that bring it there in dt seconds, after which it stops.
---@param position scree.vec3|number[]
---@param rotation? scree.quat|number[] its own
---@param dt? number s, 1/60
function assembly:move_to(position, rotation, dt) end

---Wakes it.
function assembly:wake() end

---Puts it to sleep where it is, until something wakes it.
function assembly:sleep() end

---Ends it, and its joints.
function assembly:destroy() end

---Cells of each material that a piece of terrain has.
---@return table<string, integer> cells
function assembly:count() end

---Matter of each material that a piece of terrain has, in full cells.
---@return table<string, number> cells
function assembly:matter() end

---Makes a piece terrain again where it is, and destroys it.
---@return scree.Edit edit
function assembly:to_terrain() end

---A point of its frame in the world.
---@param point scree.vec3|number[]
---@return scree.vec3 point
function assembly:to_world(point) end

---A world point in its frame.
---@param point scree.vec3|number[]
---@return scree.vec3 point
function assembly:to_local(point) end

---The velocity of its matter at a world point.
---@param point scree.vec3|number[]
---@return scree.vec3 velocity m/s
function assembly:velocity_at(point) end

---The box around it, in the world's axes.
---@return scree.vec3 min
---@return scree.vec3 max
function assembly:bounds() end

---The inertia about the centre in its axes: nine numbers, row after row, kg m².
---@return number xx
---@return number xy
---@return number xz
---@return number yx
---@return number yy
---@return number yz
---@return number zx
---@return number zy
---@return number zz
function assembly:inertia_tensor() end

---What it touches; a generic `for` may also call the list.
---@return scree.Contact[] contacts
function assembly:contacts() end

---The joints that hold it; a generic `for` may also call the list.
---@return scree.Joint[] joints
function assembly:joints() end

---The assemblies that joints tie to it, itself among them.
---@return scree.Assembly[] assemblies
function assembly:mechanism() end

---The triangles of a part that is a hull or a mesh, in its frame; each has three corners of its own.
---@param part integer
---@return scree.Mesh mesh
function assembly:part_mesh(part) end

---In words: why it does not sleep, or that it does.
---@return string reason
function assembly:why_awake() end

---What ties two assemblies, or one to the world. A broken joint ties nothing; its object stays good.
---@class scree.Joint
---@field type "weld"|"ball"|"hinge"|"slider"|"cylindrical"|"rope"|"rod"|"spring"|"align" 
---@field a? scree.Assembly nil: the world
---@field b? scree.Assembly nil: the world
---@field at scree.vec3 where it sits now: the end at b, or at a where b is the world
---@field at_a scree.vec3 the end at a
---@field at_b scree.vec3 the end at b
---@field axis? scree.vec3 now; of what has one
---@field collide boolean whether parts of the two may touch
---@field angle? number hinge, cylindrical: rad about the axis, turns counted; ball: between the axes
---@field distance? number slider, cylindrical: m along the axis; rope, rod, spring, align: between the ends
---@field impulse scree.vec3 N s on b (on a, where b is the world) over the last step
---@field angular_impulse scree.vec3 N m s
---@field broken boolean 
---@field id number a whole number
---@field world scree.World 
---@field valid boolean false once destroyed; never raises
---@field limits? number[] hinge: rad, slider, cylindrical: m; nil: none
---@field twist? number[] ball, cylindrical: rad; nil: none
---@field cone? number ball: rad that the axes may lean apart; nil: any
---@field friction? number ball: N m by which it resists turning in any way, 0
---@field motor? scree.Motor hinge, slider, cylindrical; nil: none
---@field servo? scree.Motor hinge, slider, cylindrical: the motor, where it has a target
---@field length? number rope, rod, spring: m
---@field frequency? number spring: Hz, with damping as a ratio to critical
---@field stiffness? number spring: N/m, with damping in N s/m
---@field damping? number spring, 0
---@field position? scree.vec3|number[] align: of b's anchor in the frame of a (of the world)
---@field rotation? scree.quat|number[] align: of b in the frame of a (of the world)
---@field max_speed? number align: m/s
---@field max_turn? number align: rad/s
---@field max_force? number align: N
---@field max_torque? number align: N m
---@field response? number align: speed a metre or radian of error, 1/s
---@field break_force number N, the mean over a step; `math.huge`: never
---@field break_torque number N m
---@field tag? any whatever the script keeps with it
local joint = {}

---Ends it. What it held wakes.
function joint:destroy() end

---`world.terrain`: the ground. Cells are whole numbers, boxes of cells include both ends; fills work in metres.
---@class scree.Terrain
---@field version integer counts edits
---@field bounds? scree.Bounds in cells; nil: empty
---@field bytes number 
---@field cell_size number m
---@field undo_budget number bytes that what can be undone may take; the oldest goes first
---@field undo_stats scree.UndoStats 
---@field detach boolean what edits cut off from every anchor becomes an assembly in the next step
---@field small_pieces scree.SmallPieces what becomes of pieces of few cells
---@field anchors scree.vec3[][] {min, max} of cells
---@field valid boolean false once its world is destroyed; never raises
local terrain = {}

---A cell.
---@param x integer
---@param y integer
---@param z integer
---@return string material
---@return number occupancy 0 to 1; 0 for air alone
---@return number water 0 to 1
function terrain:get(x, y, z) end

---Sets a cell. `"water"` makes a cell of water as full as occupancy says.
---@param x integer
---@param y integer
---@param z integer
---@param material string
---@param occupancy? number 1; 0 makes air
---@param water? number 0
---@return scree.Edit edit
function terrain:set(x, y, z, material, occupancy, water) end

---The cells of a box, in a new region or in one of the same size.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@param into? scree.Region
---@return scree.Region region
function terrain:read(min, max, into) end

---The cells of a box in a new region.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@return scree.Region region
function terrain:copy(min, max) end

---Writes a region with its first cell at min; with a mask only where that is not 0 (not air).
---@param min scree.vec3|number[]
---@param region scree.Region
---@param mask? ffi.cdata*|scree.Region
---@return scree.Edit edit
function terrain:write(min, region, mask) end

---Cells of each material in a box, air among them; `water` counts the cells that hold any.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@return table<string, integer> cells
function terrain:count(min, max) end

---Matter of each material in a box, in full cells.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@return table<string, number> cells
function terrain:matter(min, max) end

---Turns one material of a box into another.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
---@param from string
---@param to string not water
---@return scree.Edit edit
function terrain:replace(min, max, from, to) end

---Removes everything, water too.
---@return scree.Edit edit
function terrain:clear() end

---Fills or digs a ball.
---@param options scree.FillBall
---@return scree.Edit edit
function terrain:fill_ball(options) end

---Fills or digs a box.
---@param options scree.FillBox
---@return scree.Edit edit
function terrain:fill_box(options) end

---Fills or digs a cylinder along y.
---@param options scree.FillCylinder
---@return scree.Edit edit
function terrain:fill_cylinder(options) end

---Fills or digs a wedge: full height at +z, none at -z.
---@param options scree.FillBox
---@return scree.Edit edit
function terrain:fill_wedge(options) end

---Moves the surface in a ball towards its average; planes stay.
---@param options scree.Smooth
---@return scree.Edit edit
function terrain:smooth(options) end

---Moves the surface in a ball outwards, or inwards.
---@param options scree.Grow
---@return scree.Edit edit
function terrain:grow(options) end

---Ground under a grid of heights.
---@param options scree.Heightmap
---@return scree.HeightmapEdit result
---@return string? message what is wrong with the file
function terrain:fill_heightmap(options) end

---Ground from a function of x and z.
---@param options scree.Generate
---@return scree.HeightmapEdit result
function terrain:generate(options) end

---Reads a file into the terrain, by its extension.
---@param path string
---@param opts? scree.VoxOptions|scree.BlockOptions|scree.MeshOptions|scree.Heightmap
---@return scree.VoxInfo|scree.BlockInfo|scree.MeshInfo|scree.HeightmapEdit|nil info
---@return string? message what is wrong with the file
function terrain:import(path, opts) end

---Writes the surface (`.obj .stl .ply .glb`) or the cells (`.vox`).
---@param path string
---@param min? scree.vec3|number[] without a box: all of it
---@param max? scree.vec3|number[]
---@return scree.ExportInfo|nil info
---@return string? message what is wrong with the file
function terrain:export(path, min, max) end

---Writes all cells and the materials to a file.
---@param path string
---@param opts? scree.SaveOptions
---@return true|nil done
---@return string? message what is wrong with the file
function terrain:save(path, opts) end

---Replaces all cells by those of a file, as one edit.
---@param path string
---@param opts? scree.TerrainLoadOptions
---@return scree.LoadInfo|nil info
---@return string? message what is wrong with the file
function terrain:load(path, opts) end

---Digs a ball, soft materials before hard ones.
---@param options scree.Dig
---@return scree.Edit edit
function terrain:dig(options) end

---Declares that the cells of a box hold what hangs together with them.
---@param min scree.vec3|number[]
---@param max scree.vec3|number[]
function terrain:anchor(min, max) end

---Forgets all anchors: the lowest layer holds again.
function terrain:clear_anchors() end

---Lets everything come off that no anchor holds, at once.
---@return scree.Assembly[] pieces
function terrain:detach_all() end

---Begins a group of edits that are undone together.
---@param name? string
function terrain:begin_undo(name) end

---Takes back the last group.
---@return string|boolean name true: it has no name; false: nothing to undo
function terrain:undo() end

---Makes the edits of the group undone last once more.
---@return string|boolean name true: it has no name; false: nothing to redo
function terrain:redo() end

---What changed since a version.
---@param since integer
---@return integer version now
---@return scree.vec3[][] boxes {min, max} of cells, which hold every change
function terrain:changes(since) end

---The ground alone on the way from one point to another.
---@param from scree.vec3|number[]
---@param to scree.vec3|number[]
---@param opts? scree.TerrainQueryOptions
---@return scree.Hit|nil hit
function terrain:raycast(from, to, opts) end

---Whether a point is in the ground, and whether in water.
---@param point scree.vec3|number[]
---@return boolean solid
---@return boolean water
function terrain:is_inside(point) end

---The cell that holds a point.
---@param point scree.vec3|number[]
---@return integer x
---@return integer y
---@return integer z
function terrain:to_cell(point) end

---The centre of a cell, m.
---@param x integer
---@param y integer
---@param z integer
---@return scree.vec3 point
function terrain:cell_center(x, y, z) end

---The surface as triangles: all of it, closed, or what a box of cells owns of it.
---@param min? scree.vec3|number[] without a box: all of it
---@param max? scree.vec3|number[]
---@return scree.Mesh mesh
function terrain:mesh(min, max) end

---A block of cells in Lua's own memory. Its buffers have the index x + size.x * (z + size.z * y) from 0 and are not checked.
---@class scree.Region
---@field size scree.vec3 cells
---@field material ffi.cdata* places in `world.materials:names()`, from 0
---@field occupancy ffi.cdata* v of a solid cell means (v + 1) / 256
---@field water ffi.cdata* w means w / 255
local region = {}

---The cell at x, y, z, counted from 0.
---@param x integer
---@param y integer
---@param z integer
---@return string material
---@return number occupancy 0 to 1; 0 for air alone
---@return number water 0 to 1
function region:get(x, y, z) end

---Sets the cell at x, y, z.
---@param x integer
---@param y integer
---@param z integer
---@param material string
---@param occupancy? number 1; 0 makes air
---@param water? number 0
function region:set(x, y, z, material, occupancy, water) end

---A copy turned about y by quarter turns, counter-clockwise seen from above.
---@param turns? integer 1
---@return scree.Region region
function region:rotated(turns) end

---A copy with one axis turned over.
---@param axis "x"|"y"|"z"
---@return scree.Region region
function region:mirrored(axis) end

---`world.materials`: reading a name gives a copy (nil for an unknown one), assigning a table changes the given fields or, with a density, adds a material.
---@class scree.Materials
---@field [string] scree.Material
local materials = {}

---The names of all materials in the order of their bytes.
---@return string[] names
function materials:names() end

---Three numbers that cannot be changed. Operators: + - * / (also by a number, or component by component), unary -, ==.
---@class scree.vec3
---@operator add(scree.vec3|number[]): scree.vec3
---@operator sub(scree.vec3|number[]): scree.vec3
---@operator mul(number|scree.vec3): scree.vec3
---@operator div(number|scree.vec3): scree.vec3
---@operator unm: scree.vec3
---@field x number also `v[1]`
---@field y number also `v[2]`
---@field z number also `v[3]`
local vec3 = {}

---The scalar product.
---@param other scree.vec3|number[]
---@return number product
function vec3:dot(other) end

---The vector product.
---@param other scree.vec3|number[]
---@return scree.vec3 product
function vec3:cross(other) end

---Its length.
---@return number length
function vec3:length() end

---The square of its length.
---@return number square
function vec3:length_squared() end

---The vector of length 1 in its direction; a zero vector is an error.
---@return scree.vec3 unit
function vec3:normalized() end

---Itself for t = 0, the other for t = 1.
---@param other scree.vec3|number[]
---@param t number
---@return scree.vec3 between
function vec3:lerp(other, t) end

---How far the other is.
---@param other scree.vec3|number[]
---@return number distance
function vec3:distance(other) end

---Its three numbers.
---@return number x
---@return number y
---@return number z
function vec3:unpack() end

---A rotation, which cannot be changed. `q * r` turns by r first, `q * v` turns a vector.
---@class scree.quat
---@operator mul(scree.quat): scree.quat
---@operator mul(scree.vec3): scree.vec3
---@field x number also `q[1]`
---@field y number also `q[2]`
---@field z number also `q[3]`
---@field w number also `q[4]`
local quat = {}

---The turn back.
---@return scree.quat rotation
function quat:inverse() end

---From itself (t = 0) to another (t = 1) the short way at even speed.
---@param b scree.quat|number[]
---@param t number
---@return scree.quat rotation
function quat:slerp(b, t) end

---A vector turned, as q * v.
---@param v scree.vec3|number[]
---@return scree.vec3 vector
function quat:rotate(v) end

---Axis of length 1 and angle from 0 to pi.
---@return scree.vec3 axis
---@return number radians
function quat:axis_angle() end

---The angles that scree.euler makes it from.
---@return number x
---@return number y
---@return number z
function quat:euler() end

---Its four numbers.
---@return number x
---@return number y
---@return number z
---@return number w
function quat:unpack() end

---Regression tests: `local golden = require "scree.golden"`.
---@class scree.golden
---@field folder? string where traces are; nil: the folder golden beside the file that calls check
---@field replay? boolean false: no replay pages of checks that fail, and nothing is kept for them
local golden = {}

---Compares what a world did with the stored trace of that name; raises what differs first.
---@param world scree.World
---@param name string
---@param tolerances? scree.Tolerances every bit
function golden.check(world, name, tolerances) end

---Begins the world's trace anew, now.
---@param world scree.World
---@param opts? scree.RecordOptions
function golden.record(world, opts) end

---Whether the environment forbids to update traces.
---@return boolean is_ci
function golden.is_ci() end

---The steps of `world:render`: `local render = require "scree.render"`.
---@class scree.render
local render = {}

---Draws a world.
---@param world scree.World
---@param opts? scree.RenderOptions
---@return ffi.cdata* rgb red, green and blue from the upper left, row after row
---@return integer width
---@return integer height
function render.draw(world, opts) end

---Writes 8-bit red, green and blue into a PNG file.
---@param path string
---@param width integer
---@param height integer
---@param rgb ffi.cdata* 3 width height
---@return true|nil done
---@return string? message what is wrong with the file
function render.write_png(path, width, height, rgb) end

---Parts as triangles, for renderers: `local solids = require "scree.solids"`.
---@class scree.solids
local solids = {}

---The surface of a part in its own frame; what is round gets flat pieces.
---@param part scree.Part|scree.QueryShape
---@param mesh? scree.Mesh the triangles of a hull or a mesh, as `assembly:part_mesh` gives them
---@return scree.Solid solid
function solids.mesh(part, mesh) end

---Recordings as animations: `local gltf = require "scree.gltf"`.
---@class scree.gltf
local gltf = {}

---Writes recordings into one .glb file: a scene and an animation for each.
---@param recordings scree.Recording[] of `scree.record`
---@param path string
---@return scree.GltfInfo|nil info
---@return string? message what is wrong with the file
function gltf.write(recordings, path) end

---Recordings of worlds: `local record = require "scree.record"`.
---@class scree.record
local record = {}

---Begins to record every world that steps from now on; that changes nothing of what happens.
---@param options? scree.RecorderOptions
---@return scree.Recorder recorder
function record.start(options) end

---Whether a value is a recording.
---@param value? any
---@return boolean is_recording
function record.is_recording(value) end

---What `record.start` gives.
---@class scree.Recorder
---@field recordings scree.Recording[] one for each world that has stepped, in the order of their first steps
local recorder = {}

---Ends it; a dot, no colon.
---@return scree.Recording[] recordings
function recorder.finish() end

---What one world did. Frame 1 is the world before the first step that was seen, then there is one for every step or every so many. Frames, tracks and shapes are numbers from 1. It is for reading; nothing checks what is written into it.
---@class scree.Recording
---@field frame_count integer 
---@field time number[] the world's, by frame; s
---@field step integer[] the world's count of steps, by frame
---@field clock number[] s since the first frame, also when a snapshot takes the world back
---@field tracks scree.Track[] the assemblies
---@field shapes scree.RecordedPart[][] what tracks are made of
---@field joints scree.RecordedJoint[] 
---@field events scree.RecordedEvent[][] by frame
---@field materials table<integer, scree.RecordedMaterial> by index, from 0
---@field colors scree.RecordedColor[] those of materials that became others
---@field blocks scree.GroundBlock[] the ground and its water
---@field cell_size number m
---@field gravity number[] m/s², at first
---@field quantum number m, to which positions are kept
local recording = {}

---Goes through the frames: `for frame, cursor in recording:frames() do`.
---@return fun(): integer?, scree.Cursor? iterator the number of a frame and a cursor, always the same one
function recording:frames() end

---Whether an assembly is there in a frame.
---@param track integer
---@param frame integer
---@return boolean is_there
function recording:is_there(track, frame) end

---What pushed in the frame that a cursor is at.
---@param frame integer
---@param cursor scree.Cursor
---@return scree.Arrow[] arrows
function recording:arrows(frame, cursor) end

---The triangles of a block of ground.
---@param block scree.GroundBlock
---@param mesh integer as a version of the block has it
---@return scree.GroundMesh mesh
function recording:mesh(block, mesh) end

---The mean bytes of a frame, as they are kept.
---@return number poses
---@return number arrows
function recording:bytes_per_frame() end

---The frame that `recording:frames()` is at.
---@class scree.Cursor
---@field frame integer 
---@field moved integer[] tracks whose pose is not that of the frame before
local cursor = {}

---Where an assembly is that is there.
---@param track integer
---@return number x m
---@return number y
---@return number z
---@return number qx
---@return number qy
---@return number qz
---@return number qw
function cursor:pose(track) end

---0 awake, 1 checking, 2 asleep.
---@param track integer
---@return integer state
function cursor:state(track) end

---Pages that show recordings: `local replay = require "scree.replay"`.
---@class scree.replay
local replay = {}

---The text of the page; nil, message where three.js is missing.
---@param recordings scree.Recording[] of `scree.record`
---@param options? scree.ReplayOptions
---@return string|nil html
---@return string? message what is wrong with the file
function replay.page(recordings, options) end

---Whether pages can be made.
---@return boolean is_possible
---@return string|nil why_not
function replay.is_possible() end
