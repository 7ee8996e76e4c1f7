export {
  firstFeedEnd,
  keepFeedEnds,
  listFeedEnds,
  takeFeedEnd,
  updateFeedEnds,
  type FeedEnd,
  type OpenActivity,
} from './store.ts'
