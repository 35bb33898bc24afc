// What the Khronos validator (npm: gltf-validator) says of .glb files. Exit code 1 when there is an error or a warning.
const fs = require('fs');
const validator = require('gltf-validator');

async function validate(path) {
	const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)));
	const { numErrors, numWarnings, numInfos, messages } = report.issues;
	const { totalTriangleCount, animationCount } = report.info;
	console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos; ` +
		`${totalTriangleCount} triangles, ${animationCount} animations`);
	for (const message of messages.slice(0, 10))
		console.log(`  ${message.code} at ${message.pointer}: ${message.message}`);
	return numErrors + numWarnings === 0 && totalTriangleCount > 0 && animationCount > 0;
}

(async () => {
	let good = true;
	for (const path of process.argv.slice(2))
		good = await validate(path) && good;
	process.exitCode = good ? 0 : 1;
})();
