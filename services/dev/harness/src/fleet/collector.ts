import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span as received by a collector, its attributes by name. */
export interface CollectedSpan extends Omit<OtlpSpan, "attributes"> {
  readonly service: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

interface OtlpMetric {
  readonly name: string;
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly attributes: OtlpSpan["attributes"];
      readonly count: number | string;
      readonly sum?: number;
    }[];
  };
}

interface ExportedMetrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

/** A point of a histogram as received by a collector. */
interface CollectedPoint {
  readonly metric: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly count: number;
  readonly sum: number;
}

/** Receives traces and metrics by OTLP over HTTP, in JSON, on a port of its own. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly points: readonly CollectedPoint[];
  /** All bodies received, unmodified. */
  readonly bodies: readonly string[];
}

const plain = (attributes: OtlpSpan["attributes"]): Record<string, string | number> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? (value.doubleValue ?? "") : Number(value.intValue)),
    ]),
  );

const spansOf = ({ resourceSpans }: Exported): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: String(plain(resource.attributes)["service.name"]),
        attributes: plain(span.attributes),
      })),
    ),
  );

const pointsOf = ({ resourceMetrics }: ExportedMetrics): CollectedPoint[] =>
  resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    .flatMap(({ name, histogram }) =>
      (histogram?.dataPoints ?? []).map(({ attributes, count, sum = 0 }) => ({
        metric: name,
        attributes: plain(attributes),
        count: Number(count),
        sum,
      })),
    );

/** Starts a collector; disposing closes it. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const points: CollectedPoint[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    bodies.push(body);
    if (request.url === "/v1/metrics") points.push(...pointsOf(JSON.parse(body) as ExportedMetrics));
    else spans.push(...spansOf(JSON.parse(body) as Exported));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    points,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
