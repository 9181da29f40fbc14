const bodies = [
  [0, 0, 0, 0, 0, 0, 39.47],
  [4.84, -1.16, -0.1, 0.606, 2.81, -0.02, 0.037],
  [8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011],
  [12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017],
  [15.37, -25.91, 0.17, 0.97, 0.59, -0.03, 0.002],
].map(([x, y, z, vx, vy, vz, m]) => ({ x, y, z, vx, vy, vz, m }));

function advance(dt) {
  for (let i = 0; i < bodies.length; i++) {
    const a = bodies[i];
    for (let j = i + 1; j < bodies.length; j++) {
      const b = bodies[j];
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      const squared = dx * dx + dy * dy + dz * dz;
      const mag = dt / (squared * Math.sqrt(squared));
      a.vx -= dx * b.m * mag; a.vy -= dy * b.m * mag; a.vz -= dz * b.m * mag;
      b.vx += dx * a.m * mag; b.vy += dy * a.m * mag; b.vz += dz * a.m * mag;
    }
  }
  for (const b of bodies) { b.x += dt * b.vx; b.y += dt * b.vy; b.z += dt * b.vz; }
}

for (let i = 0; i < 23000000; i++) advance(0.001);
let energy = 0;
for (const b of bodies) energy += 0.5 * b.m * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
console.log(energy.toFixed(9));
