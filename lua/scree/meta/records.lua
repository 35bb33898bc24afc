---@meta _
-- For lua-language-server. Made from scree/api by make_reference.lua; not to be edited.
-- luacheck: ignore

---What `blast` takes. At the distance d, (1 - d / radius)² is left of strength and impulse.
---@class scree.Blast
---@field position? scree.vec3|number[] m
---@field center? scree.vec3|number[] another name for position
---@field radius number m, at which nothing is felt any more
---@field strength? number 0; takes terrain of less hardness
---@field impulse? number 0; N s that an assembly at the centre gets

---An Edit, and what was pushed.
---@class scree.BlastEdit: scree.Edit
---@field assemblies scree.Assembly[] 

---What `scree.world` takes.
---@class scree.WorldOptions
---@field gravity? scree.vec3|number[] m/s², `{0, -9.81, 0}`
---@field cell_size? number metres, 1; from 0.001 to 1000
---@field substeps? integer 4
---@field threads? integer 1; the result is the same for any number
---@field seed? integer 0
---@field sleep? scree.Sleep 
---@field narrowphase? "lattice"|"kdtree" how terrain triangles are found; the results are the same
---@field broadphase? "bits"|"boxes" how contacts with terrain are found; boxes are for comparison
---@field collider_budget? integer bytes of terrain colliders kept from step to step, 2^28
---@field snapshot_budget? integer bytes of terrain kept as it was at snapshots, 2^28

---When assemblies fall asleep.
---@class scree.Sleep
---@field enabled? boolean true
---@field rule? "impulse"|"velocity" by the balance of each assembly, or of speeds alone and in groups
---@field linear? number m/s: below it an assembly may fall asleep, 0.09
---@field angular? number m/s at the surface of its bounding ball, 0.12
---@field time? number s that it must stay below both, 0.5
---@field balance? number m/s²: a mean acceleration above it is a net force, 0.02
---@field wake? number m/s: a sleeper whose neighbours would make it faster wakes, 0.02

---What `scree.load` takes.
---@class scree.LoadOptions
---@field threads? integer as many as were saved

---What `save` takes.
---@class scree.SaveOptions
---@field level? integer of compression: 1 is fast, 19 small; 6

---What `render` takes.
---@class scree.RenderOptions
---@field size? integer[] `{640, 360}`; up to 8192
---@field from? scree.vec3|number[] where it is taken from; so that what moves is in it
---@field look? scree.vec3|number[] what it looks at
---@field fov? number rad between the upper and the lower edge, 0.7; under 3.1
---@field samples? integer rays a pixel, 4
---@field sun? scree.vec3|number[] towards it; from behind the left shoulder
---@field colors? "material"|"assembly"|"shape"|"state"|fun(assembly: scree.Assembly, part: integer): integer? `"material"`
---@field joints? boolean draws ropes, rods and springs, true

---`world.stats`.
---@class scree.Stats
---@field assemblies integer 
---@field awake integer 
---@field checking integer 
---@field asleep integer 
---@field static integer 
---@field kinematic integer 
---@field joints integer that hold
---@field contacts integer 
---@field points integer of contacts
---@field step_ms number of the last step
---@field bytes number the world's memory
---@field stages table<string, number> ms by stage of the last step
---@field terrain scree.TerrainStats 

---`world.stats.terrain`.
---@class scree.TerrainStats
---@field chunks integer of 32³ cells
---@field records integer of blocks of 8³ cells
---@field colliders integer blocks with triangles
---@field triangles integer 
---@field mesh_bytes number 
---@field index_bytes number 
---@field record_bytes number 
---@field cells number that are not air
---@field bytes number 
---@field undos integer groups that can be undone
---@field redos integer groups that can be redone
---@field undo_bytes number 
---@field contacts integer of parts with blocks, open
---@field water_contacts integer of parts with water, open
---@field tested integer contacts tested with triangles in the last step
---@field refused integer by the bits of blocks whose box was met, in the last step
---@field points integer made in the last step
---@field opened integer contacts since the start
---@field barren integer contacts since the start that never had a point

---What rays, casts and overlaps take.
---@class scree.QueryOptions
---@field ignore? scree.Assembly|scree.Assembly[] 
---@field group? string|integer|(string|integer)[] only parts of these groups; an unknown name is an error
---@field terrain? boolean true
---@field water? boolean false
---@field dynamic? boolean true
---@field assemblies? boolean true
---@field inside? boolean true; false: a solid that holds the start is left unhindered

---A convex shape for a query.
---@class scree.QueryShape
---@field shape "ball"|"box"|"capsule"|"cylinder"|"cone"|"hull"|"wedge" 
---@field size? scree.vec3|number[] box, wedge: full lengths, m
---@field radius? number ball, capsule, cylinder, cone; m
---@field length? number capsule, cylinder, cone; m
---@field points? (scree.vec3|number[])[] hull
---@field position? scree.vec3|number[] 
---@field rotation? scree.quat|number[] 

---Several shapes that move as one in a query.
---@class scree.Compound
---@field parts scree.QueryShape[] 
---@field position? scree.vec3|number[] 
---@field rotation? scree.quat|number[] 

---What a query met. Its vectors are made when they are read: `pairs` does not show them.
---@class scree.Hit
---@field position scree.vec3 
---@field normal scree.vec3 of length 0 where inside
---@field distance number m
---@field fraction number 0 to 1
---@field assembly? scree.Assembly nil: ground or water
---@field part? integer from 1
---@field material string 
---@field cell? scree.vec3 of ground and water
---@field terrain boolean 
---@field water boolean 
---@field inside boolean the query starts inside: fraction and distance are 0

---What happened in a step. An assembly in it may have been destroyed since.
---@class scree.Event
---@field kind "contact_begin"|"contact_end"|"hit"|"sleep"|"wake"|"water_enter"|"water_exit"|"joint_break"|"detach" 
---@field a? scree.Assembly contacts, hits, breaks
---@field b? scree.Assembly the same; nil where terrain, or the world
---@field terrain? boolean contacts, hits
---@field part_a? integer contacts, hits; from 1
---@field part_b? integer 
---@field position? scree.vec3 hit, joint_break, detach
---@field normal? scree.vec3 hit: from a to b
---@field speed? number hit, m/s
---@field impulse? number hit: of the whole blow; joint_break; N s
---@field joint? scree.Joint joint_break
---@field assembly? scree.Assembly sleep, wake, water_enter, water_exit, detach
---@field reason? string sleep, wake
---@field cells? integer detach
---@field cause? "edit"|"dig"|"blast"|"detach_all" detach

---A part as it is given to `spawn`.
---@class scree.PartOptions
---@field shape? "ball"|"box"|"capsule"|"cylinder"|"cone"|"hull"|"mesh"|"wedge" 
---@field size? scree.vec3|number[] box, wedge: full lengths, m
---@field radius? number ball, capsule, cylinder, cone; m
---@field length? number m along y. capsule: between the centres of its ends; cylinder, cone: the whole
---@field points? (scree.vec3|number[])[] hull: at least four
---@field path? string mesh: `.obj .stl .ply .glb .gltf`
---@field vertices? scree.vec3|number[][]|number[]|ffi.cdata* mesh without path
---@field indices? integer[][]|integer[]|ffi.cdata* mesh without path: three a triangle, from 1 in lists (unless one is 0), from 0 in arrays
---@field scale? number|scree.vec3|number[] mesh, 1
---@field position? scree.vec3|number[] m, in the assembly's frame
---@field rotation? scree.quat|number[] 
---@field material? string `"rock"`
---@field group? string|integer `"default"`
---@field collides_with? string|integer|(string|integer)[] `"all"`
---@field density? number kg/m³; the material's
---@field friction? number the material's
---@field restitution? number the material's
---@field rolling? number the material's

---What `world:spawn` takes: one shape, or parts; then surface values are the parts' defaults.
---@class scree.SpawnOptions
---@field parts? scree.PartOptions[] instead of shape and its dimensions
---@field shape? "ball"|"box"|"capsule"|"cylinder"|"cone"|"hull"|"mesh"|"wedge" 
---@field size? scree.vec3|number[] box, wedge: full lengths, m
---@field radius? number ball, capsule, cylinder, cone; m
---@field length? number m along y. capsule: between the centres of its ends; cylinder, cone: the whole
---@field points? (scree.vec3|number[])[] hull: at least four
---@field path? string mesh: `.obj .stl .ply .glb .gltf`
---@field vertices? scree.vec3|number[][]|number[]|ffi.cdata* mesh without path
---@field indices? integer[][]|integer[]|ffi.cdata* mesh without path: three a triangle, from 1 in lists (unless one is 0), from 0 in arrays
---@field scale? number|scree.vec3|number[] mesh, 1
---@field position? scree.vec3|number[] m, `{0, 0, 0}`
---@field rotation? scree.quat|number[] 
---@field velocity? scree.vec3|number[] m/s
---@field angular_velocity? scree.vec3|number[] rad/s
---@field motion? "static"|"kinematic"|"dynamic" `"dynamic"`; `"static"` where there is a mesh
---@field bullet? boolean false
---@field gravity_scale? number 1
---@field can_sleep? boolean true
---@field mass? number kg, instead of the parts'
---@field center_of_mass? scree.vec3|number[] in the assembly's frame, instead of the parts'
---@field inertia? scree.vec3|number[] kg m² about the centre, in its axes
---@field tag? any 
---@field material? string `"rock"`
---@field group? string|integer `"default"`
---@field collides_with? string|integer|(string|integer)[] `"all"`
---@field density? number kg/m³; the material's
---@field friction? number the material's
---@field restitution? number the material's
---@field rolling? number the material's

---A part of `assembly.parts`. Its surface (material and below) can be assigned, its shape and place cannot.
---@class scree.Part
---@field shape "ball"|"box"|"capsule"|"cylinder"|"cone"|"hull"|"mesh"|"wedge" 
---@field size? scree.vec3 box, wedge; m
---@field radius? number m
---@field length? number m
---@field points? scree.vec3[] hull
---@field mesh? scree.PartMesh what was made of a mesh
---@field position scree.vec3 
---@field rotation scree.quat 
---@field material string 
---@field group string|integer 
---@field collides_with string|integer|(string|integer)[] 
---@field density number kg/m³; nil is the material's
---@field friction number nil is the material's
---@field restitution number nil is the material's
---@field rolling number nil is the material's

---`part.mesh`: what was made of the triangles.
---@class scree.PartMesh
---@field triangles integer kept
---@field vertices integer kept, after those at one place were made one
---@field dropped integer triangles without area
---@field open_edges integer along which no other triangle runs the other way
---@field closed boolean the surface of a solid: it has an inside
---@field volume number m³, of a closed one
---@field bytes integer vertices, triangles and tree
---@field bytes_per_triangle number 
---@field min scree.vec3 in the part's frame
---@field max scree.vec3 

---`assembly.sleep_limits`; see Sleep.
---@class scree.SleepLimits
---@field linear? number m/s
---@field angular? number m/s
---@field balance? number m/s²
---@field wake? number m/s

---What one part touches.
---@class scree.Contact
---@field other? scree.Assembly nil: the ground
---@field terrain boolean 
---@field part integer its own, from 1
---@field other_part? integer 
---@field material string of the other side
---@field normal scree.vec3 from the other towards this assembly
---@field points scree.ContactPoint[] 

---A point of a contact.
---@class scree.ContactPoint
---@field position scree.vec3 
---@field separation number m; negative: they overlap
---@field impulse number N s along the normal, over the last step

---What `world:joint` takes. Which keys belong to which type is on the page about joints.
---@class scree.JointOptions
---@field type "weld"|"ball"|"hinge"|"slider"|"cylindrical"|"rope"|"rod"|"spring"|"align" 
---@field a? scree.Assembly left out: the world
---@field b? scree.Assembly left out: the world
---@field at? scree.vec3|number[] world point; b's centre of mass (a's, where b is the world)
---@field at_a? scree.vec3|number[] rope, rod, spring: the end at a, instead of at
---@field at_b? scree.vec3|number[] rope, rod, spring: the end at b
---@field axis? scree.vec3|number[] in the world
---@field collide? boolean whether parts of the two may touch, false
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
---@field break_force? number N, the mean over a step; `math.huge`: never
---@field break_torque? number N m
---@field tag? any whatever the script keeps with it

---A motor, or with a target a servo.
---@class scree.Motor
---@field speed? number rad/s or m/s, 0; of a servo the fastest that it goes
---@field target? number rad or m: goes there and holds it
---@field max_torque? number N m, of a hinge
---@field max_force? number N, of a slider or cylindrical joint
---@field response? number servo: speed a radian or metre of error, 1/s, 10

---A ball.
---@class scree.FillBall
---@field position? scree.vec3|number[] its centre, m
---@field center? scree.vec3|number[] another name for position
---@field material? string `"air"` digs, `"water"` fills what is not solid; `"remove"` needs none
---@field mode? "set"|"add"|"remove"|"paint" `"set"`
---@field radius number m

---A box or a wedge.
---@class scree.FillBox
---@field position? scree.vec3|number[] its centre, m
---@field center? scree.vec3|number[] another name for position
---@field material? string `"air"` digs, `"water"` fills what is not solid; `"remove"` needs none
---@field mode? "set"|"add"|"remove"|"paint" `"set"`
---@field size scree.vec3|number[] full lengths, m
---@field rotation? scree.quat|number[] 

---A cylinder.
---@class scree.FillCylinder
---@field position? scree.vec3|number[] its centre, m
---@field center? scree.vec3|number[] another name for position
---@field material? string `"air"` digs, `"water"` fills what is not solid; `"remove"` needs none
---@field mode? "set"|"add"|"remove"|"paint" `"set"`
---@field radius number m
---@field height? number m, along y
---@field length? number another name for height
---@field rotation? scree.quat|number[] 

---What `smooth` takes.
---@class scree.Smooth
---@field center? scree.vec3|number[] 
---@field position? scree.vec3|number[] another name for center
---@field radius number m
---@field strength number 

---What `grow` takes.
---@class scree.Grow
---@field center? scree.vec3|number[] 
---@field position? scree.vec3|number[] another name for center
---@field radius number m
---@field strength number m outwards; negative: inwards
---@field material? string the nearest

---What `dig` takes.
---@class scree.Dig
---@field center? scree.vec3|number[] m
---@field position? scree.vec3|number[] another name for center
---@field radius number m
---@field strength number of a material of hardness h, 1 - h / strength of the ball is taken

---`terrain.small_pieces`; what is left out when assigning stays.
---@class scree.SmallPieces
---@field cells? integer pieces of fewer cells are small
---@field fate? "debris"|"vanish" they get one hull, or vanish

---What `fill_heightmap` takes: path, or heights with width and depth.
---@class scree.Heightmap
---@field cell? number m between samples; the world's cell_size
---@field bottom? number m of ground under the lowest height, 8
---@field material? string `"rock"`
---@field layers? scree.Layer[] instead of material: up to eight, from the surface down
---@field scale? number heights are multiplied by it, 1
---@field mode? "set"|"add"|"remove"|"paint" `"set"`
---@field path? string `.png .hgt .r16`
---@field heights? number[]|ffi.cdata* m, row after row along x; NaN is a hole
---@field width? integer samples along x
---@field depth? integer samples along z
---@field position? scree.vec3|number[] ground point of the first sample at height 0
---@field min? number of `.png`: m that black stands for, 0; `.hgt` and `.r16` are metres already
---@field max? number of `.png`: m that white stands for, 100

---What `generate` takes.
---@class scree.Generate
---@field cell? number m between samples; the world's cell_size
---@field bottom? number m of ground under the lowest height, 8
---@field material? string `"rock"`
---@field layers? scree.Layer[] instead of material: up to eight, from the surface down
---@field scale? number heights are multiplied by it, 1
---@field mode? "set"|"add"|"remove"|"paint" `"set"`
---@field min number[] m
---@field max number[] m
---@field height fun(x: number, z: number): number|false, string? 

---A layer of ground.
---@class scree.Layer
---@field material string 
---@field depth? number m below the surface that it reaches; not of the last one

---What `terrain:raycast` takes.
---@class scree.TerrainQueryOptions
---@field water? boolean false
---@field inside? boolean true

---What `import` of `.vox` takes.
---@class scree.VoxOptions
---@field at? scree.vec3|number[] cell that the file's origin goes to, `{0, 0, 0}`
---@field position? scree.vec3|number[] instead of at: a point, m
---@field hidden? boolean also hidden layers and nodes, false
---@field materials? table<integer, string> colour index to material; others become vox_rrggbb

---What `import` of `.schem .schematic .mts` takes.
---@class scree.BlockOptions
---@field at? scree.vec3|number[] cell that the file's origin goes to, `{0, 0, 0}`
---@field position? scree.vec3|number[] instead of at: a point, m
---@field materials? table<string, string> block, by name or number, to material
---@field clear? boolean the file's air clears what is there, false

---What `import` of `.obj .stl .ply .glb .gltf` takes.
---@class scree.MeshOptions
---@field position? scree.vec3|number[] where the file's origin goes, m
---@field rotation? scree.quat|number[] 
---@field scale? number|scree.vec3|number[] m for a unit of the file, 1
---@field material? string `"rock"`
---@field materials? table<string, string> of the file, by name or number, to material; others get `material`
---@field mode? "set"|"add"|"remove"|"paint" `"set"`
---@field shell? number m: a wall about the triangles instead of a filled inside

---What `terrain:load` takes.
---@class scree.TerrainLoadOptions
---@field materials? "file"|"world" whose properties win, `"file"`

---A material's values; what a new one does not give is what is written here.
---@class scree.Material
---@field density? number kg/m³
---@field friction? number 0.6; a pair uses sqrt(a b)
---@field restitution? number 0.1; a pair uses the larger
---@field rolling? number 0
---@field hardness? number 1
---@field blockiness? number 0: smooth; 1: exact cubes
---@field color? integer 0x808080

---What an edit took and gave, in cells of matter.
---@class scree.Edit
---@field removed table<string, number> 
---@field added table<string, number> 

---An Edit, and what the heights were.
---@class scree.HeightmapEdit: scree.Edit
---@field voids integer samples that are holes
---@field width integer 
---@field depth integer 
---@field min number lowest height, m
---@field max number 

---An Edit, and what was in the file.
---@class scree.VoxInfo: scree.Edit
---@field min scree.vec3 of what was written
---@field max scree.vec3 
---@field cells integer written
---@field models integer 
---@field instances integer 
---@field hidden_instances integer skipped
---@field dropped integer voxels outside their model's size
---@field overlaps integer voxels laid over another instance's
---@field merged_colors integer colours that found no room in the table of materials

---An Edit, and what was in the file.
---@class scree.BlockInfo: scree.Edit
---@field min scree.vec3 of what was written
---@field max scree.vec3 
---@field cells integer made solid
---@field air integer in the file
---@field water integer made water
---@field unknown integer cells of blocks that became a material of their own
---@field skipped integer that the file says are not to be placed
---@field size scree.vec3 of the schematic
---@field merged integer blocks that found no room in the table of materials and became rock
---@field blocks table<string, integer> cells of each kind of block

---An Edit, and what was in the file.
---@class scree.MeshInfo: scree.Edit
---@field min scree.vec3 of what was written
---@field max scree.vec3 
---@field triangles integer 
---@field vertices integer 
---@field skipped integer triangles with an index or a corner that is none
---@field closed boolean every edge is used an even number of times
---@field open_edges integer 
---@field crowded_edges integer of more than two triangles
---@field volume number m³ between the triangles
---@field materials scree.MeshMaterial[] of the file, by their numbers

---A material that a file of a mesh names.
---@class scree.MeshMaterial
---@field name string `usemtl` of .obj, `name` of glTF; `""` without one
---@field triangles integer 
---@field material string what they became

---What was written.
---@class scree.ExportInfo
---@field bytes integer in all files
---@field vertex_count? integer of meshes
---@field triangle_count? integer of meshes
---@field cells? integer of .vox
---@field models? integer of .vox

---An Edit, and what was in the file.
---@class scree.LoadInfo: scree.Edit
---@field cells integer that are not air
---@field chunks integer 
---@field cell_size number m, of the world that was saved
---@field materials_added integer 
---@field materials_changed integer 

---A surface as flat buffers.
---@class scree.Mesh
---@field positions ffi.cdata* 3 a vertex, m
---@field normals ffi.cdata* 3 a vertex
---@field indices ffi.cdata* 3 a triangle, from 0, counter-clockwise from the air
---@field materials ffi.cdata* one a triangle
---@field vertex_count integer 
---@field triangle_count integer 

---A box of cells, also as `[1]` and `[2]`.
---@class scree.Bounds
---@field min scree.vec3 
---@field max scree.vec3 

---`terrain.undo_stats`.
---@class scree.UndoStats
---@field undos integer groups
---@field redos integer groups
---@field bytes number 
---@field budget number 
---@field dropped integer groups

---What of a trace is compared, and how far off it may be.
---@class scree.Tolerances
---@field position? number m
---@field rotation? number rad
---@field velocity? number m/s
---@field angular_velocity? number rad/s

---A surface of `solids.mesh`.
---@class scree.Solid
---@field positions ffi.cdata* 3 a vertex, m
---@field normals ffi.cdata* 3 a vertex
---@field indices ffi.cdata* 3 a triangle, from 0, counter-clockwise from outside
---@field vertex_count integer 
---@field triangle_count integer 

---What `gltf.write` wrote.
---@class scree.GltfInfo
---@field bytes integer 
---@field nodes integer 
---@field meshes integer 
---@field seconds number of the longest recording

---What `golden.record` takes.
---@class scree.RecordOptions
---@field every? integer steps between samples; without it at most 32 samples

---What `record.start` takes.
---@class scree.RecorderOptions
---@field every? integer steps between frames, 1
---@field arrows? integer impulses of a frame that are kept at most, the strongest: 200
---@field ground? boolean|"end" false: without the ground; `"end"`: as it is at the end, for all of the time
---@field events? boolean false: without the world's events
---@field on_frame? fun(recording: scree.Recording) called after every step that was seen

---What `replay.page` takes.
---@class scree.ReplayOptions
---@field title? string `"replay"`
---@field message? string what is to be said first
---@field start? number s, where the page begins
---@field select? integer the track that is selected
---@field watch? integer the page asks its server for newer runs than this one, as those of `scree watch` do

---What became of a track.
---@class scree.Look
---@field frame integer from which it is so
---@field shape integer 
---@field motion "static"|"kinematic"|"dynamic" 
---@field mass number 

---An assembly in a recording.
---@class scree.Track
---@field id number 
---@field tag? string a tag that is a word, a number or a truth
---@field motion "static"|"kinematic"|"dynamic" 
---@field mass number kg
---@field center number[] of mass, in its frame
---@field shape integer its place in shapes
---@field first integer the frame in which it came
---@field last? integer nil: it was there at the end
---@field looks scree.Look[] whenever shape (that has the materials), motion or mass became another

---A part in a recording.
---@class scree.RecordedPart
---@field shape "ball"|"box"|"capsule"|"cylinder"|"cone"|"hull"|"mesh"|"wedge" 
---@field material integer 
---@field position number[] 
---@field rotation number[] 
---@field size number[] 
---@field radius number 
---@field length number 
---@field mesh? scree.RecordedMesh of hulls and meshes

---Triangles of a hull or a mesh in a recording, in its frame.
---@class scree.RecordedMesh
---@field vertex_count integer 
---@field triangle_count integer 
---@field positions ffi.cdata* 3 a vertex, m
---@field indices ffi.cdata* 3 a triangle, from 0
---@field materials ffi.cdata* 1 a triangle

---A joint in a recording.
---@class scree.RecordedJoint
---@field id number 
---@field type "weld"|"ball"|"hinge"|"slider"|"cylindrical"|"rope"|"rod"|"spring"|"align" 
---@field a integer a track; 0: the world
---@field b integer 
---@field at_a number[] in the frame of a
---@field at_b number[] in that of b
---@field axis number[] in that of a
---@field length number 
---@field first integer 
---@field last? integer 

---An event in a recording.
---@class scree.RecordedEvent
---@field kind string of an event, or `"spawn"`, `"edit"` (of the ground), `"restore"`
---@field a? integer a track
---@field b? integer 
---@field terrain? boolean 
---@field reason? string 
---@field speed? number 
---@field impulse? number 
---@field position? number[] 

---A material in a recording.
---@class scree.RecordedMaterial
---@field name string 
---@field color integer at first

---When a material got another colour.
---@class scree.RecordedColor
---@field frame integer 
---@field material integer 
---@field color integer 

---16³ cells of ground in a recording.
---@class scree.GroundBlock
---@field x integer in blocks
---@field y integer 
---@field z integer 
---@field versions scree.GroundVersion[] 

---What a block was from a frame on.
---@class scree.GroundVersion
---@field frame integer 
---@field mesh integer for `recording:mesh`; 0: there is none
---@field water integer the same of its water

---Triangles of a block of ground: lists from 1.
---@class scree.GroundMesh
---@field vertex_count integer 
---@field triangle_count integer 
---@field positions number[] 3 a vertex, m
---@field normals? number[] 3 a vertex; water has none
---@field indices integer[] 3 a triangle, from 0
---@field materials integer[] 1 a triangle

---An impulse in a recording.
---@class scree.Arrow
---@field track integer on which it acted
---@field other integer a track; 0: the ground or the world
---@field joint boolean of a joint; else of a contact
---@field size number N s
---@field x number where, m
---@field y number 
---@field z number 
---@field dx number the direction, of length 1
---@field dy number 
---@field dz number 
