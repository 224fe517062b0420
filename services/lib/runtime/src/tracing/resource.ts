import { detectResources, envDetector, type Resource, resourceFromAttributes } from "@opentelemetry/resources";

/** The resource of a process's telemetry: its name, unless OTEL_SERVICE_NAME names another, and OTEL_RESOURCE_ATTRIBUTES. */
export function resourceOf(service: string): Resource {
  return resourceFromAttributes({ "service.name": service }).merge(detectResources({ detectors: [envDetector] }));
}
