/** Tests stores that one process uses alone, as a program does that embeds the store. */
import { Effect, Layer } from "effect"
import { expect, it, onTestFinished, vi } from "vitest"
import { storage } from "../../src/storage.js"
import { onNewFile, storeIn } from "../sqlite-file.js"

it("a store in a file opens even if the working folder was removed", () =>
  onNewFile((path) => {
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(process, "cwd").mockImplementation(() => {
      throw new Error("ENOENT: process.cwd failed with error no such file or directory, uv_cwd")
    })
    return Effect.asVoid(Layer.build(storeIn(path)))
  }))

it("only a store in a file is checked regularly for its name", () =>
  onNewFile((path) =>
    Effect.gen(function* () {
      onTestFinished(() => void vi.restoreAllMocks())
      const timers = vi.spyOn(globalThis, "setInterval")
      yield* Layer.build(storage({ adapter: "sqlite", path: ":memory:" }, { migrate: true }))
      expect(timers).not.toHaveBeenCalled()
      yield* Layer.build(storeIn(path))
      expect(timers).toHaveBeenCalledOnce()
    }),
  ))
