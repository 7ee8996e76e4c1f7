export { createReplicas, type ReplicaOptions } from './create.ts'
export { selectPosition, positionOf } from './position.ts'
export type { Replicas } from './replicas.ts'
