/** What was taken step by step, and how each step is undone. */

export class Holdings {
  readonly #undo: (() => void)[] = []

  /** Call it right after a step that took something. */
  add(undo: () => void): void {
    this.#undo.push(undo)
  }

  /** Undoes every step, the last first. One that cannot be undone, as a name in a folder that cannot be written any more, does not keep the others. */
  giveBack(): void {
    for (let undo = this.#undo.at(-1); undo !== undefined; undo = this.#undo.at(-1)) {
      try {
        undo()
      } catch {
        // Only names are left behind then. Their owner's FIFO is closed, so the next opener removes them.
      }
      // Last, since V8 may end this too: then it is undone again. It ends no code between a call of the system and here.
      this.#undo.pop()
    }
  }
}
