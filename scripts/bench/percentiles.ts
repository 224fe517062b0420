/** All samples of a measure, so that percentiles are exact, by the nearest-rank method. */
export class Samples {
  #values = new Float64Array(1_024);
  #count = 0;
  #sorted = true;

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    if (this.#count === this.#values.length) this.#grow(this.#count + 1);
    this.#values[this.#count] = value;
    this.#count += 1;
    this.#sorted = false;
  }

  addAll(values: Float64Array): void {
    this.#grow(this.#count + values.length);
    this.#values.set(values, this.#count);
    this.#count += values.length;
    this.#sorted = false;
  }

  values(): Float64Array {
    return this.#values.slice(0, this.#count);
  }

  /**
   * The smallest sample that at least `percent` of all samples do not exceed; NaN when there are
   * none.
   */
  percentile(percent: number): number {
    if (this.#count === 0) return Number.NaN;
    if (!this.#sorted) {
      this.#values.subarray(0, this.#count).sort();
      this.#sorted = true;
    }
    const rank = Math.ceil((percent / 100) * this.#count);
    return this.#values[Math.max(rank, 1) - 1]!;
  }

  #grow(needed: number): void {
    if (needed <= this.#values.length) return;
    const larger = new Float64Array(Math.max(needed, this.#values.length * 2));
    larger.set(this.#values.subarray(0, this.#count));
    this.#values = larger;
  }
}
