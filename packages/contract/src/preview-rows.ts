/** Rows that the preview of an import shows, and reads to propose a mapping. */
export const previewRowsMax = 100
