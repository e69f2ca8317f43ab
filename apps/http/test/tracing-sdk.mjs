// The SDK setup that an operator loads before the service to see its spans. Here, the spans go to a file.
import { appendFileSync } from "node:fs"
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node"

// biome-ignore lint/style/noProcessEnv: it is configured like an operator's own file
const file = process.env["SPANS_FILE"]
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, kind, attributes, status } = span
      const { traceId, spanId } = span.spanContext()
      const entry = { name, kind, attributes, status, traceId, spanId, parentId: span.parentSpanContext?.spanId }
      appendFileSync(file, `${JSON.stringify(entry)}\n`)
    }
    done({ code: 0 })
  },
  shutdown: async () => {},
}
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
