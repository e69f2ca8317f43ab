/**
 * Spans, through the API of OpenTelemetry alone. An operator who loads an SDK before
 * the service sees them (docs/operations.md says how); without one nothing is installed and nobody pays.
 */
import { SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api"
import { Exit } from "effect"
import type { Middleware } from "koa"
import { operationOf } from "./operation.js"
import type { StoreObserver } from "./store-observer.js"

export interface Traces {
  /** A span for each request, child of the caller's (W3C Trace Context). */
  readonly requests: Middleware
  /** A span for each call to the store, child of the request's. */
  readonly store: StoreObserver
}

/** The tracer of an SDK that was loaded before, if there is one. */
const findTracer = async (): Promise<Tracer | undefined> => {
  const { ProxyTracerProvider, trace } = await import("@opentelemetry/api")
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer("petstore") : provider.getTracer("petstore")
}

/** Starts to trace if somebody looks. */
export const startTraces = async (): Promise<Traces | undefined> => {
  const tracer = await findTracer()
  if (tracer === undefined) return undefined
  const { context, propagation, trace } = await import("@opentelemetry/api")

  const requests: Middleware = (ctx, next) => {
    const { req, res, method, path } = ctx
    const parent = propagation.extract(context.active(), req.headers)
    const attributes = { "http.request.method": method, "url.path": path, "url.scheme": "http" }
    const span = tracer.startSpan(operationOf(method, path), { kind: SpanKind.SERVER, attributes }, parent)
    const active = trace.setSpan(parent, span)
    ctx.state["traceId"] = span.spanContext().traceId
    propagation.inject(active, res, { set: (response, name, value) => void response.setHeader(name, value) })
    res.once("close", () => {
      span.setAttribute("http.response.status_code", res.statusCode)
      if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    return context.with(active, next)
  }

  const store: StoreObserver = (call) => {
    const span = tracer.startSpan(call, { kind: SpanKind.CLIENT })
    return (exit) => {
      if (Exit.isFailure(exit)) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
  }
  return { requests, store }
}
