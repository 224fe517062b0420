/**
 * The first numbers of a vector, normalized to length 1. A vector that is not truncated is
 * still normalized; one of zeros stays unchanged.
 */
export function unitVector(floats: Float32Array, dimensions: number): Float32Array {
  const vector = floats.slice(0, dimensions);
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) * factor;
  return vector;
}
