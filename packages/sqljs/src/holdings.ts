/** Resources that were acquired step by step, and how to undo each step. */

export class Holdings {
  readonly #undo: (() => void)[] = []

  /** Registers how to undo a step. Call this right after the step. */
  add(undo: () => void): void {
    this.#undo.push(undo)
  }

  /** Undoes all steps in reverse order, even if one of them fails, for example to remove a name from a read-only folder. */
  giveBack(): void {
    for (let undo = this.#undo.at(-1); undo !== undefined; undo = this.#undo.at(-1)) {
      try {
        undo()
      } catch {
        // Only names can remain. Their owner's FIFO is closed, so the next owner removes them.
      }
      // This comes last, because V8 may terminate this loop too. In that case the step is undone again. V8 does not terminate
      // between a system call and this line.
      this.#undo.pop()
    }
  }
}
