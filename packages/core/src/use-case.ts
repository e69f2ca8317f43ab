import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import type * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import * as Utils from "effect/Utils"

let defaultTracer: Tracer.Tracer | undefined

/** Whether a tracer is that of a program that has not set one. Its spans would be lost, so they are not made. */
const isDefault = (tracer: Tracer.Tracer): boolean => {
  // A new fiber has the defaults. Copies of effect in one process share them.
  defaultTracer ??= Effect.runSync(Effect.tracer)
  return tracer === defaultTracer
}

/** Makes an effect a span, if the program has set a tracer. */
const spanned = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tracerWith((tracer) => (isDefault(tracer) ? effect : Effect.withSpan(effect, name, { captureStackTrace: false })))

/** The method that the runtime of Effect 4 calls on each effect. */
const evaluateOf4 = "~effect/Effect/evaluate"

const wrongRuntime = (): never => {
  throw new TypeError(
    "@petstore/core makes Effects of effect 3, and effect 4 cannot run them. Run them with effect 3 (npm install effect@3), or use @petstore/core/promise.",
  )
}

/** What a generator of Effect receives from `yield*`. */
class Yielded<A> extends Utils.YieldWrap<A> {
  [evaluateOf4](): never {
    return wrongRuntime()
  }
}

class UseCase<A, E, R> extends Effectable.Class<A, E, R> {
  private readonly name: string
  readonly effect: Effect.Effect<A, E, R>

  constructor(name: string, effect: Effect.Effect<A, E, R>) {
    super()
    this.name = name
    this.effect = effect
  }

  override commit(): Effect.Effect<A, E, R> {
    return spanned(this.name, this.effect)
  }

  override [Symbol.iterator](): Effect.EffectGenerator<Effect.Effect<A, E, R>> {
    return new Utils.SingleShotGen(new Yielded(this))
  }

  [evaluateOf4](): never {
    return wrongRuntime()
  }
}

/** Makes an effect a use case: a span if the program has set a tracer, and a sentence for programs that run it with Effect 4. */
export const useCase = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  new UseCase(name, effect)

/** A use case that is one call of a port. */
class PortCall<A, E, R, Port> extends UseCase<A, E, R> {
  readonly port: Context.Tag<R, Port>
  readonly call: (port: Port) => Effect.Effect<A, E>

  constructor(name: string, port: Context.Tag<R, Port>, call: (port: Port) => Effect.Effect<A, E>) {
    super(name, Effect.flatMap(port, call))
    this.port = port
    this.call = call
  }
}

/** Makes one call of a port a use case. */
export const portCall = <A, E, R, Port>(
  name: string,
  port: Context.Tag<R, Port>,
  call: (port: Port) => Effect.Effect<A, E>,
): Effect.Effect<A, E, R> => new PortCall(name, port, call)

/**
 * Returns what a use case does, without its span: a program without a tracer of Effect's saves the search for one. A use case that
 * is one call of a port becomes that call. It throws what the port throws.
 */
export const withoutSpan = <A, E, R>(effect: Effect.Effect<A, E, R>, context: Context.Context<R>): Effect.Effect<A, E, R> => {
  if (effect instanceof PortCall) return effect.call(Context.get(context, effect.port))
  return effect instanceof UseCase ? effect.effect : effect
}

/** An effect that waits for a callback with its exit. A program that needs no interruption can register it without a fiber. */
export class Awaited<A, E = never> extends Effectable.Class<A, E> {
  readonly register: (done: (exit: Exit.Exit<A, E>) => void) => void

  constructor(register: (done: (exit: Exit.Exit<A, E>) => void) => void) {
    super()
    this.register = register
  }

  override commit(): Effect.Effect<A, E> {
    return Effect.async(this.register)
  }
}

/** Returns the same port, whose calls are spans, such as `PetRepository.insert`. */
export const spannedPort = <Port extends object>(name: string, port: Port): Port => {
  const members = Object.entries(Object(port)).map(([member, value]) => {
    const spannedIfEffect = (result: unknown): unknown =>
      // Safe: the span has the types of the effect.
      Effect.isEffect(result) ? spanned(`${name}.${member}`, result as Effect.Effect<unknown, unknown, unknown>) : result
    return [
      member,
      typeof value === "function" ? (...args: ReadonlyArray<unknown>) => spannedIfEffect(value(...args)) : spannedIfEffect(value),
    ]
  })
  // Safe: each member is the same function or effect.
  return { ...port, ...Object.fromEntries(members) } as Port
}
