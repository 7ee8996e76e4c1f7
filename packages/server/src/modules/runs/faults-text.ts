import type { Failure } from '../../kernel/errors.ts'
import { textOfFaults } from '../plugins/index.ts'

/** What the bodies of operations have around the input of a block. */
const around = /^\/data(?:\/0)?(?=\/)/

/** Describes everything that an operation has refused, each with its field. */
export const textOfFailure = ({ faults, message }: Failure): string =>
  textOfFaults(
    faults.map(({ detail, source }, index) => ({
      field: (source?.pointer?.replace(around, '').slice(1) ?? source?.parameter ?? '').replaceAll('/', '.'),
      detail: detail ?? (index === 0 ? message : ''),
    })),
  )
