/** Resources that were taken step by step, and how to undo each step. */

export class Holdings {
  readonly #undo: (() => void)[] = []

  /** Call this right after each step. */
  add(undo: () => void): void {
    this.#undo.push(undo)
  }

  /**
   * Undoes every step, the last first. A step that fails to undo, such as a name in a read-only folder, does not stop the others.
   */
  giveBack(): void {
    for (let undo = this.#undo.at(-1); undo !== undefined; undo = this.#undo.at(-1)) {
      try {
        undo()
      } catch {
        // Then only names remain. Their owner's FIFO is closed, so the next opener removes them.
      }
      // Last, because V8 may terminate this too: then the step is undone again. V8 does not terminate between a system call and
      // this line.
      this.#undo.pop()
    }
  }
}
