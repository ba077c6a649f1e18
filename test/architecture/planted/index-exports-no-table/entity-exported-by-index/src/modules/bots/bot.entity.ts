export class Bot {
  name!: string;
}
