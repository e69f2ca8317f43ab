/** Runs one of the programs in this folder in a separate process. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Running {
  /** Resolves when the program has printed its first line. */
  readonly started: Promise<void>
  /** Resolves with all complete lines when the process has exited. */
  readonly lines: Promise<string[]>
  kill(): void
}

/** A wrapper that makes the package run the lock programs, as before Node.js 26.1, instead of calling the C library. */
export const withPrograms = ["env", "NODE_OPTIONS=--no-experimental-ffi"]

/** @param wrapper a program that runs another program, such as `unshare`; both exit together */
export const runProgram = (program: string, parameters: readonly string[], wrapper: readonly string[] = []): Running => {
  const node = [
    process.execPath,
    "--no-warnings",
    "--experimental-vm-modules",
    fileURLToPath(new URL(program, import.meta.url)),
    ...parameters,
  ]
  const [command = "", ...given] = [...wrapper, ...node]
  const child = spawn(command, given, { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  let complaints = ""
  child.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk.toString()
  })
  const started = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      resolve()
    })
    child.on("close", () => reject(new Error(`The program exited without printing a line: ${complaints}`)))
  })
  const lines = new Promise<string[]>((resolve) => {
    child.on("close", () => resolve(output.split("\n").slice(0, -1)))
  })
  return { started, lines, kill: () => child.kill("SIGKILL") }
}
