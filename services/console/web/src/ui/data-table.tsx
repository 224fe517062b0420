import { Group, Pagination, Skeleton, Table, Text, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import {
  type ColumnDef,
  createColumnHelper,
  createPaginatedRowModel,
  createSortedRowModel,
  FlexRender,
  type Header,
  type Row,
  type RowData,
  rowPaginationFeature,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type KeyboardEvent, type MouseEvent, type ReactNode, useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { integer } from "../format/number.ts";
import classes from "./data-table.module.css";

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  rowPaginationFeature,
  paginatedRowModel: createPaginatedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});
type Features = typeof features;

declare module "@tanstack/react-table" {
  interface ColumnMeta<TFeatures, TData, TValue> {
    /** Figures stand to the right. */
    readonly align?: "right";
    /** The narrowest screen on which the column is there. */
    readonly from?: "xs" | "sm" | "md" | "lg" | "xl";
  }
}

/** Columns of a table of these rows. */
export const columnsOf = <T extends RowData>() => createColumnHelper<Features, T>();
// biome-ignore lint/suspicious/noExplicitAny: each column has a type of value of its own
export type Columns<T extends RowData> = ColumnDef<Features, T, any>[];

interface Props<T extends RowData> {
  /** Names the table for those who do not see it. */
  readonly label: string;
  readonly columns: Columns<T>;
  /** Undefined while they are on their way. */
  readonly rows: readonly T[] | undefined;
  readonly rowId: (row: T) => string;
  /** What a click on a row opens. */
  readonly onOpen?: (row: T) => void;
  /** Which rows open something; default: all. */
  readonly canOpen?: (row: T) => boolean;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
  readonly sorting?: SortingState;
  readonly onSorting?: (sorting: SortingState) => void;
  readonly minWidth?: number;
  /** Rows of one line, for long lists. */
  readonly isCompact?: boolean;
  /** Shows so many rows at once; without it, all of them. */
  readonly paging?: Paging;
}

interface Paging {
  readonly pageSize: number;
  /** From 1 on. */
  readonly page: number;
  readonly onPage: (page: number) => void;
}

/** Below a table: which of its rows are shown, and the way to the others. */
function Pager({ of: { pageSize, page, onPage }, rows }: { readonly of: Paging; readonly rows: number }) {
  const { t } = useTranslation();
  if (rows <= pageSize) return null;
  const first = (page - 1) * pageSize;
  const shown = { first: integer(first + 1), last: integer(Math.min(rows, first + pageSize)), rows: integer(rows) };
  return (
    <Group justify="space-between" gap="sm" mt="sm">
      <Text size="xs" c="dimmed" className="tabular">
        {t("common.rows", shown)}
      </Text>
      <Pagination
        size="sm"
        total={Math.ceil(rows / pageSize)}
        value={page}
        onChange={onPage}
        siblings={0}
        getItemProps={(number) => ({ "aria-label": t("common.page", { number }) })}
        getControlProps={(control) => ({ "aria-label": t(control === "next" ? "common.next" : "common.previous") })}
      />
    </Group>
  );
}

function SortButton<T extends RowData>({ header }: { readonly header: Header<Features, T> }) {
  const order = header.column.getIsSorted();
  const Shape = order === false ? IconArrowsSort : order === "asc" ? IconArrowUp : IconArrowDown;
  return (
    <UnstyledButton className={classes["sort"]} onClick={header.column.getToggleSortingHandler()}>
      <FlexRender header={header} />
      <Shape size={13} aria-hidden opacity={order === false ? 0.45 : 1} />
    </UnstyledButton>
  );
}

const sortWords = { asc: "ascending", desc: "descending", none: "none" } as const;

function HeaderCell<T extends RowData>({ header }: { readonly header: Header<Features, T> }) {
  const { column } = header;
  const { align, from } = column.columnDef.meta ?? {};
  const order = column.getIsSorted();
  return (
    <Table.Th
      ta={align ?? "left"}
      {...(from !== undefined && { visibleFrom: from })}
      {...(column.getCanSort() && { "aria-sort": sortWords[order === false ? "none" : order] })}
    >
      {column.getCanSort() ? <SortButton header={header} /> : <FlexRender header={header} />}
    </Table.Th>
  );
}

function BodyRow<T extends RowData>({
  row,
  onOpen,
}: {
  readonly row: Row<Features, T>;
  readonly onOpen?: (row: T) => void;
}) {
  const open = (event: MouseEvent | KeyboardEvent): void => {
    // What is a button or a link in itself does its own thing.
    const inner = (event.target as Element).closest("a, button, input, [role=menuitem]");
    if (inner === null || inner === event.currentTarget) onOpen?.(row.original);
  };
  const asButton = onOpen && {
    tabIndex: 0,
    className: classes["open"],
    onClick: open,
    onKeyDown: (event: KeyboardEvent) => event.key === "Enter" && open(event),
  };
  return (
    <Table.Tr {...asButton}>
      {row.getAllCells().map((cell) => {
        const { align, from } = cell.column.columnDef.meta ?? {};
        return (
          <Table.Td
            key={cell.id}
            ta={align ?? "left"}
            className={align && classes["figure"]}
            {...(from !== undefined && { visibleFrom: from })}
          >
            <FlexRender cell={cell} />
          </Table.Td>
        );
      })}
    </Table.Tr>
  );
}

function SkeletonRows({ columns }: { readonly columns: number }) {
  return [0, 1, 2, 3, 4].map((row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton h={16} my={4} />
      </Table.Td>
    </Table.Tr>
  ));
}

const none: never[] = [];

/**
 * A table of rows: sorted where its columns allow it, opened by click or by Enter, scrolled
 * sideways where it is too wide.
 */
export function DataTable<T extends RowData>(props: Props<T>) {
  const { label, columns, rows, rowId, onOpen, empty, sorting = none, onSorting, minWidth = 300, paging } = props;
  const { canOpen = () => true } = props;
  const { pageSize = Number.MAX_SAFE_INTEGER } = paging ?? {};
  const lastPage = Math.max(1, Math.ceil((rows?.length ?? 0) / pageSize));
  const page = Math.min(Math.max(1, Math.trunc(paging?.page ?? 1)), lastPage);
  const table = useTable({
    features,
    columns,
    data: (rows ?? none) as T[],
    getRowId: rowId,
    enableSorting: onSorting !== undefined,
    enableMultiSort: false,
    autoResetPageIndex: false,
    state: { sorting, pagination: { pageIndex: page - 1, pageSize } },
    onSortingChange: (change) => onSorting?.(typeof change === "function" ? change(sorting) : change),
  });
  // The first rows are rendered in steps, between which the rest of the page accepts input.
  const showsRows = useDeferredValue(rows !== undefined, false);
  if (rows !== undefined && rows.length === 0) return empty;
  return (
    <>
      <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
        <Table
          verticalSpacing={props.isCompact ? 6 : "sm"}
          className={classes["table"]}
          fz="sm"
          highlightOnHover={onOpen !== undefined}
          aria-label={label}
        >
          <Table.Thead>
            {table.getHeaderGroups().map((group) => (
              <Table.Tr key={group.id}>
                {group.headers.map((header) => (
                  <HeaderCell key={header.id} header={header} />
                ))}
              </Table.Tr>
            ))}
          </Table.Thead>
          <Table.Tbody>
            {rows === undefined || !showsRows ? (
              <SkeletonRows columns={columns.length} />
            ) : (
              table
                .getRowModel()
                .rows.map((row) => (
                  <BodyRow key={row.id} row={row} {...(onOpen && canOpen(row.original) && { onOpen })} />
                ))
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {paging && <Pager of={{ ...paging, page }} rows={rows?.length ?? 0} />}
    </>
  );
}
