export {
  addToCount,
  addToCounts,
  counterUpkeep,
  foldsCounts,
  forgetCounts,
  forgetLinkCounts,
  linkCounter,
  linkTotalInSql,
  listTotals,
  listTotalsOf,
  privateCounter,
  publicCounter,
  unorderedCounter,
  totalInSql,
  totalRecords,
} from './store.ts'
export { counterDiscrepancies } from './verification.ts'
