/** Remembers how to undo each step by which an owner acquires its resources. */

export class Holdings {
  readonly #undo: (() => void)[] = []

  /** Call this right after the step that `undo` reverses. */
  add(undo: () => void): void {
    this.#undo.push(undo)
  }

  /** Undoes all steps in reverse order, even if one of them fails, for example because a folder is read-only. */
  giveBack(): void {
    for (let undo = this.#undo.at(-1); undo !== undefined; undo = this.#undo.at(-1)) {
      try {
        undo()
      } catch {
        // Only names can remain. Their owner's FIFO is closed, so the next owner removes them.
      }
      // This comes last: if V8 terminates this loop before this line, the step is undone a second time. V8 does not terminate
      // the loop between a system call and this line.
      this.#undo.pop()
    }
  }
}
