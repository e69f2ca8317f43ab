/** The commands and the service for one Vitest test, with cleanup after the test. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { commandPath, type Ended, type Environment, environmentOf, runProgram, TemporaryStore, withoutStore } from "./command.ts"
import { type Service, type StartOptions, startService } from "./serving.ts"

export const temporaryFolder = (): string => {
  const store = new TemporaryStore()
  onTestFinished(() => store.remove())
  return store.directory
}

/** Starts a service that is killed when the test ends, if it is still running. */
export const serve = async (environment: Environment, options?: StartOptions): Promise<Service> => {
  const service = await startService(environment, options)
  onTestFinished(() => service.kill())
  return service
}

/** Settings that stop a program (SIGTERM) as soon as it prints its address. */
export const stopWhenServed: Environment = {
  NODE_OPTIONS: `--import "data:text/javascript,const{stdout}=process,{write}=stdout;stdout.write=(text)=>{write.call(stdout,text);if(text.includes('is%20served%20at'))process.kill(process.pid,'SIGTERM')}"`,
}

/** A folder for a new store, and the commands that run in it. */
export const openWorkplace = (settings: Environment = {}) => {
  const folder = temporaryFolder()
  const environment = environmentOf({ DATABASE_URL: "sqlite:store.db", ...settings })
  const petstore = commandPath("petstore")
  const hear = (args: ReadonlyArray<string>, input = ""): Promise<Ended> =>
    runProgram(environment, petstore, args, { folder, input })

  return {
    folder,
    path: (name: string) => join(folder, name),

    /** Runs a command to completion. The returned standard error omits the line that names the store. */
    run: async (args: ReadonlyArray<string>, input = ""): Promise<Ended> => {
      const ended = await hear(args, input)
      return { ...ended, stderr: withoutStore(ended.stderr) }
    },

    hear,

    start: (args: ReadonlyArray<string>, more: Environment = {}) => {
      const child = spawn(petstore, args, { cwd: folder, env: { ...environment, ...more }, stdio: ["ignore", "pipe", "pipe"] })
      onTestFinished(() => void child.kill("SIGKILL"))
      return child
    },
  }
}
