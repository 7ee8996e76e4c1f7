/** A cell that cannot become a value; the message is the reason in the file of rejected rows. */
export class CellFault extends Error {
  override readonly name = 'CellFault'
}
