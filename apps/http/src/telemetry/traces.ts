/**
 * Spans, through the OpenTelemetry API. They are recorded if an SDK has been loaded before the service (docs/operations.md
 * explains how). Without one, the service creates none.
 */
import { type Span, SpanKind, SpanStatusCode } from "@opentelemetry/api"
import { headerLines } from "@petstore/bounded-http"
import { Exit } from "effect"
import type { ObservedRequest, RequestObserver } from "./request-observer.js"
import type { StoreObserver } from "./store-observer.js"

/** The parts of a new request that a span needs. */
export interface TracedRequest extends ObservedRequest {
  readonly req: { readonly headers: object }
  traceId: string | undefined
  readonly addHeaders: (lines: string) => void
}

/** Starts tracing if an SDK has registered itself. */
export const startTraces = async () => {
  const { context, propagation, ProxyTracerProvider, trace } = await import("@opentelemetry/api")
  const provider = trace.getTracerProvider()
  const tracer = provider instanceof ProxyTracerProvider ? provider.getDelegateTracer("petstore") : provider.getTracer("petstore")
  if (tracer === undefined) return undefined
  const spans = new WeakMap<ObservedRequest, Span>()

  /** Creates a span for each request, as a child of the client's (W3C Trace Context). */
  const middleware = (request: TracedRequest, next: () => Promise<void>): Promise<void> => {
    const parent = propagation.extract(context.active(), request.req.headers)
    const attributes = { "http.request.method": request.method, "url.path": request.path, "url.scheme": "http" }
    const span = tracer.startSpan(request.operation, { kind: SpanKind.SERVER, attributes }, parent)
    const active = trace.setSpan(parent, span)
    request.traceId = span.spanContext().traceId
    propagation.inject(active, request, { set: (traced, name, value) => traced.addHeaders(headerLines([name, value])) })
    spans.set(request, span)
    return context.with(active, next)
  }

  const requests: RequestObserver = {
    started: () => {},
    ended: (request) => {
      const span = spans.get(request)
      if (request.isAnswered) span?.setAttribute("http.response.status_code", request.status)
      if (request.status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
    },
  }

  /** Creates a span for each store call, as a child of the request's. */
  const store: StoreObserver = (call) => {
    const span = tracer.startSpan(call, { kind: SpanKind.CLIENT })
    return (exit) => {
      if (Exit.isFailure(exit)) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
  }
  return { middleware, requests, store }
}
