// What a header does with arrays that it does not declare.
#define FLAT(i) (&t[0][0])[i]
#define AT(a, y, x) a[y][x]
