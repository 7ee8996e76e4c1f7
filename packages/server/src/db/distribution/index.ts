export { distribute, type DistributeOptions } from './distribute.ts'
export { distributionOf, isWhole, unreachableNodes, type Distribution } from './state.ts'
