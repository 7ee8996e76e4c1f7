import type { Failure } from '../../kernel/errors.ts'
import { textOfFaults } from '../plugins/index.ts'

/** The wrapping of a block's input in the body of an operation. */
const around = /^\/data(?:\/0)?(?=\/)/

/** Describes everything that an operation has refused, each with its field. */
export const textOfFailure = ({ faults, message }: Failure): string =>
  textOfFaults(
    faults.map(({ detail, source }, index) => ({
      field: (source?.pointer?.replace(around, '').slice(1) ?? source?.parameter ?? '').replaceAll('/', '.'),
      detail: detail ?? (index === 0 ? message : ''),
    })),
  )
