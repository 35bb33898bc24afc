// A surface in the light of sun and sky. LÖVE puts its own lines before this.
varying vec3 normal;

#ifdef VERTEX
uniform mat4 view_projection;
uniform mat4 model;
attribute vec3 VertexNormal;

vec4 position(mat4 unused, vec4 place)
{
	normal = mat3(model) * VertexNormal;
	return view_projection * model * place;
}
#endif

#ifdef PIXEL
uniform vec3 sun;

vec4 effect(vec4 color, Image unused, vec2 unused_too, vec2 place)
{
	vec3 n = normalize(normal);
	vec3 light = vec3(1.0, 0.9, 0.75) * max(dot(n, sun), 0.0) + vec3(0.35, 0.4, 0.5) * (0.6 + 0.4 * n.y);
	return vec4(color.rgb * light, 1.0);
}
#endif
