import { Box } from "@mantine/core";
import { type PointerEvent, type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly picture: ImageBitmap;
  /** Width of the brush, relative to the image's width. */
  readonly brush: number;
  /** The painted area, in the image's size. */
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly onPainted: () => void;
}

/** Where on the canvas a pointer is, in the canvas's own pixels. */
function pointOf({ currentTarget: canvas, clientX, clientY }: PointerEvent<HTMLCanvasElement>): Point {
  const box = canvas.getBoundingClientRect();
  return {
    x: ((clientX - box.left) / box.width) * canvas.width,
    y: ((clientY - box.top) / box.height) * canvas.height,
  };
}

function draw(canvas: HTMLCanvasElement, from: Point, to: Point, brush: number): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.strokeStyle = getComputedStyle(canvas).color;
  context.lineWidth = brush * canvas.width;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(from.x, from.y);
  // A line without length is not drawn: a dot is a very short one.
  context.lineTo(to.x + 0.01, to.y);
  context.stroke();
}

/** The painted area as a mask: transparent where the image should change, else opaque. */
export function maskOf(painted: HTMLCanvasElement): Promise<Blob> {
  const mask = document.createElement("canvas");
  mask.width = painted.width;
  mask.height = painted.height;
  const context = mask.getContext("2d");
  if (context === null) return Promise.reject(new Error("This browser has no canvas."));
  context.fillRect(0, 0, mask.width, mask.height);
  context.globalCompositeOperation = "destination-out";
  context.drawImage(painted, 0, 0);
  return new Promise((resolve, reject) =>
    mask.toBlob(
      (blob) => (blob === null ? reject(new Error("The mask could not be created.")) : resolve(blob)),
      "image/png",
    ),
  );
}

/** The image, on which the user paints the area to change. */
export function MaskCanvas({ picture, brush, canvas, onPainted }: Props) {
  const { t } = useTranslation();
  const below = useRef<HTMLCanvasElement>(null);
  const last = useRef<Point>(undefined);
  useEffect(() => {
    below.current?.getContext("2d")?.drawImage(picture, 0, 0);
  }, [picture]);
  const start = (event: PointerEvent<HTMLCanvasElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    last.current = pointOf(event);
    draw(event.currentTarget, last.current, last.current, brush);
    onPainted();
  };
  const move = (event: PointerEvent<HTMLCanvasElement>): void => {
    if (last.current === undefined) return;
    const point = pointOf(event);
    draw(event.currentTarget, last.current, point, brush);
    last.current = point;
  };
  const end = (): void => {
    last.current = undefined;
  };
  const size = { width: picture.width, height: picture.height };
  return (
    <Box pos="relative" maw={560} mx="auto">
      <canvas ref={below} {...size} aria-hidden style={{ display: "block", width: "100%", borderRadius: 8 }} />
      <canvas
        ref={canvas}
        {...size}
        role="img"
        aria-label={t("playground.canvas")}
        onPointerDown={start}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={end}
        style={{
          position: "absolute",
          inset: 0,
          width: "100%",
          height: "100%",
          opacity: 0.7,
          color: "var(--mantine-color-red-6)",
          cursor: "crosshair",
          touchAction: "none",
        }}
      />
    </Box>
  );
}
