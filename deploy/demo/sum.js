const data = {a: 1, b: 2};
console.log(JSON.stringify({sum: data.a + data.b}));
